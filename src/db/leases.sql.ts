import { statement } from './statement.ts';

export const takeNew = statement('lease_take_new', `INSERT INTO lease (name, holder, beat) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING`);

export const read = statement<{ holder: string | null; beat: number }>('lease_read', 'SELECT holder, beat FROM lease WHERE name = $1');

/** Only if it has not moved since it was looked at. */
export const takeOver = statement('lease_take_over', 'UPDATE lease SET holder = $2, beat = beat + 1 WHERE name = $1 AND beat = $3');

export const renew = statement('lease_renew', 'UPDATE lease SET beat = beat + 1 WHERE name = $1 AND holder = $2 AND beat = $3');

export const giveBack = statement('lease_give_back', 'UPDATE lease SET holder = NULL WHERE name = $1 AND holder = $2');
