import { statement } from './statement.ts';

export const insertLease = statement('lease_take_new', `INSERT INTO lease (name, holder, beat) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING`);

export const readLease = statement<{ holder: string | null; beat: number }>('lease_read', 'SELECT holder, beat FROM lease WHERE name = $1');

/** Changes nothing if the counter has changed since it was read. */
export const takeOverLease = statement('lease_take_over', 'UPDATE lease SET holder = $2, beat = beat + 1 WHERE name = $1 AND beat = $3');

export const renewLease = statement('lease_renew', 'UPDATE lease SET beat = beat + 1 WHERE name = $1 AND holder = $2 AND beat = $3');

export const releaseLease = statement('lease_give_back', 'UPDATE lease SET holder = NULL WHERE name = $1 AND holder = $2');
