# Receives webhooks on PORT, verifies them with SECRET, and prints each event once.
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
seen = set()  # In production: a table with a unique column, written in the transaction of your work.

def is_valid(headers, body):
    timestamp = headers.get("webhook-timestamp", "0")
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return abs(time.time() - int(timestamp)) < 300 and any(hmac.compare_digest(expected, one) for one in given)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        valid = is_valid(self.headers, body)
        if valid:
            event = json.loads(body)
            if event["id"] not in seen:
                print(event["type"], flush=True)
            seen.add(event["id"])
        self.send_response(200 if valid else 401)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass

server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
print("listening", flush=True)
server.serve_forever()
