"""Calls the Python package lnurl, and prints the response as JSON."""

import asyncio
import json
import sys

from lnurl import execute, handle
from lnurl.core import get
from lnurl.helpers import lnurlauth_derive_linking_key, lnurlauth_signature
from lnurl.models import LnurlPayVerifyResponse


async def sign_login(link: str, seed: str) -> dict[str, str]:
    """Signs, but does not send: `execute_login` of version 2.0.2 replaces the query of the callback, which contains k1."""
    challenge = await handle(link)
    linking_key, _ = lnurlauth_derive_linking_key(seed=seed, domain=challenge.callback.host)
    key, sig = lnurlauth_signature(challenge.k1, linking_key=linking_key)
    return {"key": key, "sig": sig}


async def run(command: str, link: str, value: str = "") -> dict[str, object]:
    if command == "verify":
        return (await get(link, response_class=LnurlPayVerifyResponse)).dict()
    if command == "sign":
        return await sign_login(link, value)
    return (await execute(link, value)).dict()


print(json.dumps(asyncio.run(run(*sys.argv[1:]))))
