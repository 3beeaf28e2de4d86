"""Calls the Python package nostr-sdk: `<link> <method> <parameters>` prints the result as JSON, `relay <port>` runs its relay until the process ends."""

import asyncio
import json
import sys

from nostr_sdk import (
    KeysendTlvRecord,
    ListTransactionsRequest,
    LocalRelayBuilder,
    LookupInvoiceRequest,
    MakeInvoiceRequest,
    NostrWalletConnect,
    NostrWalletConnectUri,
    PayInvoiceRequest,
    PayKeysendRequest,
    Timestamp,
    TransactionType,
    nip04_decrypt,
    nip44_decrypt,
)

def shown(value: object) -> object:
    """Returns an object of the package as JSON has it."""
    if isinstance(value, list):
        return [shown(one) for one in value]
    if isinstance(value, Timestamp):
        return value.as_secs()
    if hasattr(value, "name") and hasattr(value, "value"):
        return value.name
    if hasattr(value, "__dict__") and not hasattr(value, "_handle"):
        # A variant of an enumeration, such as `Method.GET_INFO`.
        if not vars(value):
            return type(value).__name__
        return {name: shown(field) for name, field in vars(value).items()}
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)


async def call(uri: NostrWalletConnectUri, method: str, params: dict) -> object:
    nwc = NostrWalletConnect(uri)
    if method == "get_info":
        return await nwc.get_info()
    if method == "get_balance":
        return await nwc.get_balance()
    if method == "make_invoice":
        order = {"description": None, "description_hash": None, "expiry": None, **params}
        return await nwc.make_invoice(MakeInvoiceRequest(**order))
    if method == "lookup_invoice":
        return await nwc.lookup_invoice(LookupInvoiceRequest(**{"payment_hash": None, "invoice": None, **params}))
    if method == "list_transactions":
        kind = {"incoming": TransactionType.INCOMING, "outgoing": TransactionType.OUTGOING, None: None}[params.get("type")]
        order = {name: params.get(name) for name in ("limit", "offset", "unpaid")}
        times = {"_from": None, "until": Timestamp.from_secs(params["until"]) if "until" in params else None}
        return await nwc.list_transactions(ListTransactionsRequest(**order, **times, transaction_type=kind))
    if method == "pay_invoice":
        return await nwc.pay_invoice(PayInvoiceRequest(**{"id": None, "amount": None, **params}))
    if method == "pay_keysend":
        records = [KeysendTlvRecord(tlv_type=one["type"], value=one["value"]) for one in params.pop("tlv_records", [])]
        return await nwc.pay_keysend(PayKeysendRequest(**{"id": None, "preimage": None, "tlv_records": records, **params}))
    raise ValueError(method)


async def run(link: str, method: str, params: str) -> None:
    uri = NostrWalletConnectUri.parse(link)
    if method in ("nip44_decrypt", "nip04_decrypt"):
        decrypt = nip44_decrypt if method == "nip44_decrypt" else nip04_decrypt
        print(decrypt(uri.secret(), uri.public_key(), params))
        return
    print(json.dumps(shown(await call(uri, method, json.loads(params)))))


async def run_relay(port: int) -> None:
    relay = LocalRelayBuilder().addr("127.0.0.1").port(port).build()
    running = asyncio.ensure_future(relay.run())
    print(await relay.url(), flush=True)
    await running
    await asyncio.Event().wait()


asyncio.run(run_relay(int(sys.argv[2])) if sys.argv[1] == "relay" else run(*sys.argv[1:]))
