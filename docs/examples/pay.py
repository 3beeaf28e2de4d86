# Pays the invoice BILL from the wallet WALLET, then waits for the wallet's own invoice INVOICE. Reads these, URL and KEY from the environment.
import json, os, time, urllib.request

def call(method, path, body=None, headers={}):
    headers = {"X-Api-Key": os.environ["KEY"], "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as response:  # longer than PAYMENT_WAIT_SECONDS
        return json.load(response)  # urlopen raises HTTPError for 4xx and 5xx

def wait(lntx_id):
    while (lntx := call("GET", f"/v1/lntx/{lntx_id}?wait=30"))["status"] in ("open", "pending", "arriving"):
        time.sleep(1)  # a busy service may respond before the 30 seconds are over
    return lntx

bill = {"payment_request": os.environ["BILL"]}
paid = call("POST", f"/v1/wallet/{os.environ['WALLET']}/withdraw", bill, {"Idempotency-Key": "order-17"})
print("bill", wait(paid["lnTx"]["id"])["status"])
print("invoice", wait(os.environ["INVOICE"])["status"])
