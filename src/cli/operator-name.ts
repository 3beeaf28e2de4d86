import { hostname, userInfo } from 'node:os';

/** Returns who runs the command, for records: the login name and the machine. */
export function operatorName(): string {
  return `${process.env.SUDO_USER || userInfo().username}@${hostname()}`;
}
