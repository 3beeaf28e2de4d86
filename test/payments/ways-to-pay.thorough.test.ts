import { testEachWayToPay } from './each-way-to-pay.ts';

testEachWayToPay('postgres');
