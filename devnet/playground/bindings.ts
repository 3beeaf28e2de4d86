import { hash } from 'node:crypto';
import { Option_ThirtyTwoBytesZ, Option_ThirtyTwoBytesZ_Some, Option_u64Z, Option_u64Z_Some } from 'lightningdevkit';
import { type Msat, msat } from '../../src/core/kernel/money.ts';

/** LDK rejected a call that should succeed. */
export class LdkError extends Error {
  override readonly name = 'LdkError';
}

/** Returns the value of a result. The cast is needed because the bindings' result classes are not discriminated unions. @throws LdkError */
export function unwrap<T>(result: { is_ok(): boolean }, action: string): T {
  if (!result.is_ok()) throw new LdkError(`LDK could not ${action}`);
  return (result as unknown as { res: T }).res;
}

/** Returns the error of a result, or undefined for a success. */
export function errorOf<E>(result: { is_ok(): boolean }): E | undefined {
  return result.is_ok() ? undefined : (result as unknown as { err: E }).err;
}

export function someU64(value: number | undefined): Option_u64Z {
  return value === undefined ? Option_u64Z.constructor_none() : Option_u64Z.constructor_some(BigInt(value));
}

export function some32(bytes: Uint8Array | undefined): Option_ThirtyTwoBytesZ {
  return bytes ? Option_ThirtyTwoBytesZ.constructor_some(bytes) : Option_ThirtyTwoBytesZ.constructor_none();
}

export function u64Of(option: Option_u64Z): bigint | undefined {
  return option instanceof Option_u64Z_Some ? option.some : undefined;
}

export function bytes32Of(option: Option_ThirtyTwoBytesZ): Uint8Array | undefined {
  return option instanceof Option_ThirtyTwoBytesZ_Some ? option.some : undefined;
}

/** @throws RangeError beyond 2^53 − 1. */
export function msatOf(value: bigint): Msat {
  return msat(Number(value));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

export function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}

export function sha256(data: Uint8Array | string): Buffer {
  return hash('sha256', data, 'buffer');
}

/**
 * Keeps the first error of a callback. An exception that leaves a callback would block LDK's event queue forever. The error is therefore
 * thrown by {@link check}, before the transaction commits.
 */
export class CallbackErrors {
  #first: { readonly error: unknown } | undefined;

  add(error: unknown): void {
    this.#first ??= { error };
  }

  run(callback: () => void): void {
    this.attempt(callback, () => undefined);
  }

  /** Runs a callback. Returns the value of `fallback` when it throws. */
  attempt<T>(run: () => T, fallback: () => T): T {
    try {
      return run();
    } catch (error) {
      this.add(error);
      return fallback();
    }
  }

  /** @throws the first error. */
  check(): void {
    if (this.#first) throw this.#first.error;
  }
}
