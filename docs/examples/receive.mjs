// Receives webhooks on PORT, verifies them with SECRET, and prints each event once.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.SECRET.replace('whsec_', ''), 'base64');
const seen = new Set(); // In production: a table with a unique column, written in the transaction of your work.

function isValid(headers, body) {
  const timestamp = headers['webhook-timestamp'];
  const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`).update(body).digest();
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
  return (
    isRecent &&
    String(headers['webhook-signature'])
      .split(' ')
      .some((one) => {
        const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
        return given.length === expected.length && timingSafeEqual(given, expected);
      })
  );
}

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (!isValid(request.headers, body)) return response.writeHead(401).end();
  const event = JSON.parse(body);
  if (!seen.has(event.id)) console.log(event.type);
  seen.add(event.id);
  response.end();
}).listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
