import { onFakeNode } from '../support/app.ts';
import { movesMoney } from './first-money.ts';

onFakeNode('the service on the fake node', movesMoney);
