#!/usr/bin/env bash
# Starts a playground and two services with separate ledgers on it, each with a node of its own, and lets a customer of the first pay a
# Lightning address of the second. Run it in a clone; Ctrl-C stops everything. A name after `&node=` selects a node, which its first use creates.
set -euo pipefail
export PLAYGROUND_PORT=${PLAYGROUND_PORT:-4022}
BANK_PORT=${BANK_PORT:-4021}; SHOP_PORT=${SHOP_PORT:-4031}
trap 'kill $(jobs -p)' EXIT

field() { sed 's/.*"'"$1"'":"\([^"]*\)".*/\1/'; echo; }
await() { until "$@" > /dev/null 2>&1; do sleep 0.2; done; }

DATA_DIR=./data/net bin/satchel playground > /dev/null &
await test -s data/net/playground-secret
NET="playground://127.0.0.1:$PLAYGROUND_PORT?secret=$(cat data/net/playground-secret)"
LIGHTNING_URL="$NET" OUTBOUND_ALLOW=localhost PORT=$BANK_PORT DATA_DIR=./data/bank npm start > /dev/null &
LIGHTNING_URL="$NET&node=shop" OUTBOUND_ALLOW=localhost PORT=$SHOP_PORT DATA_DIR=./data/shop npm start > /dev/null &
BANK=http://127.0.0.1:$BANK_PORT; SHOP=http://127.0.0.1:$SHOP_PORT
await curl -sf $BANK/readyz; await curl -sf $SHOP/readyz

B="X-Api-Key: $(head -n 1 data/bank/first-key)"; S="X-Api-Key: $(head -n 1 data/shop/first-key)"
ALMA=$(curl -s $BANK/v1/wallet -H "$B" -d user_label=alma | field id); TILL=$(curl -s $SHOP/v1/wallet -H "$S" -d user_label=till | field id)
curl -s $BANK/playground/fund -H "$B" -d wallet_id=$ALMA -d num_satoshis=5000 | field state
ADDRESS=$(curl -s $SHOP/v1/wallet/$TILL/lnurlp -H "$S" -d lnurlp_identifier=till-$RANDOM | field ln_address); echo "pays $ADDRESS"
curl -s $BANK/v1/wallet/$ALMA/lnurlp/pay -H "$B" -d ln_address=$ADDRESS -d amt_msat=1000000 | grep -o '"fee_msat":[0-9]*'
curl -s $SHOP/v1/wallet/$TILL -H "$S" | grep -o '"balance":[0-9]*'
echo "ready: $BANK and $SHOP"
wait
