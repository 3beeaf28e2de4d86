# Starts a regtest network of two LND nodes in the present shell: `. devnet/regtest.sh`. docs/lightning.md uses it. It needs lnd, lncli, btcd,
# btcctl and jq, and the default ports. `alice` is the node of the service, `bob` an outside node. All files are in data/regtest;
# `try_satchel` starts the service and makes two payments; `stop_regtest` stops everything and deletes the files.
NET=$PWD/data/regtest; mkdir -p $NET

btc() { btcctl -C /dev/null --regtest --rpccert=$NET/rpc.cert --rpcuser=u --rpcpass=p "$@"; }
start_chain() {
  btcd -C /dev/null --regtest --nolisten --txindex --datadir=$NET/btcd --logdir=$NET/btcd --rpccert=$NET/rpc.cert --rpckey=$NET/rpc.key \
    --rpcuser=u --rpcpass=p "$@" > $NET/btcd.log 2>&1 &
  sleep 2
}
mine_to() { btc stop; sleep 2; start_chain --miningaddr=$1; }
mine() { btc generate $1 > /dev/null; }
start_lnd() {
  lnd --lnddir=$NET/$1 --alias=$1 --listen=localhost:$2 --rpclisten=localhost:$3 --restlisten=localhost:$4 --noseedbackup --accept-keysend \
    --store-final-htlc-resolutions --bitcoin.regtest --bitcoin.node=btcd --btcd.rpccert=$NET/rpc.cert --btcd.rpcuser=u --btcd.rpcpass=p \
    > $NET/$1.log 2>&1 &
}
alice() { lncli --lnddir=$NET/alice --network=regtest --rpcserver=localhost:10009 "$@"; }
bob() { lncli --lnddir=$NET/bob --network=regtest --rpcserver=localhost:10010 "$@"; }
stop_regtest() { [ -z "${SERVICE:-}" ] || kill $SERVICE; alice stop; bob stop; sleep 3; btc stop; rm -r $NET; }

start_chain; start_lnd alice 9735 10009 8080; start_lnd bob 9736 10010 8081

# Coins for alice, and a channel to bob with 5,000,000 sat on each side.
for NODE in bob alice; do until $NODE newaddress p2wkh > $NET/address 2> /dev/null; do sleep 1; done; done
mine_to $(jq -r .address $NET/address); mine 120
for NODE in bob alice; do until $NODE getinfo 2> /dev/null | grep -q '"synced_to_chain": *true'; do sleep 1; done; done
mine 1
until alice openchannel --node_key $(bob getinfo | jq -r .identity_pubkey) --connect localhost:9736 --local_amt 10000000 \
  --push_amt 5000000 > /dev/null 2>&1; do sleep 1; done
sleep 1; mine 6; until alice listchannels | grep -q '"active": *true'; do sleep 1; done

# A macaroon with the permissions of the service.
alice bakemacaroon --save_to $NET/satchel.macaroon uri:/lnrpc.Lightning/GetInfo uri:/lnrpc.Lightning/AddInvoice uri:/lnrpc.Lightning/LookupInvoice uri:/lnrpc.Lightning/ListInvoices uri:/lnrpc.Lightning/ListPayments uri:/lnrpc.Lightning/LookupHtlcResolution uri:/lnrpc.Lightning/SubscribeInvoices uri:/lnrpc.Lightning/ChannelBalance uri:/lnrpc.Lightning/ListChannels uri:/lnrpc.Lightning/PendingChannels uri:/lnrpc.Lightning/QueryRoutes uri:/invoicesrpc.Invoices/CancelInvoice uri:/routerrpc.Router/SendPaymentV2 uri:/routerrpc.Router/TrackPaymentV2 uri:/routerrpc.Router/TrackPayments uri:/routerrpc.Router/SubscribeHtlcEvents uri:/lnrpc.Lightning/ClosedChannels uri:/invoicesrpc.Invoices/AddHoldInvoice uri:/invoicesrpc.Invoices/SettleInvoice
export LIGHTNING_URL="lnd+rest://localhost:8080?cert=$NET/alice/tls.cert&macaroon=$NET/satchel.macaroon"

# Starts the service on alice. Bob pays 5,000 sat to a wallet, and the wallet pays 1,000 sat to bob.
try_satchel() {
  export DATA_DIR=./data/regtest
  npm start > $NET/service.log 2>&1 &
  SERVICE=$!
  URL=http://127.0.0.1:4021; until curl -sf $URL/readyz; do sleep 1; done; echo
  H="X-Api-Key: $(head -n 1 $NET/first-key)"
  WALLET=$(curl -s $URL/v1/wallet -H "$H" -d user_label=alma | jq -r .id)
  bob payinvoice --force --json $(curl -s $URL/v1/wallet/$WALLET/invoice -H "$H" -d num_satoshis=5000 | jq -r .payment_request) | jq -r .status
  curl -s $URL/v1/wallet/$WALLET/withdraw -H "$H" -d payment_request=$(bob addinvoice --amt 1000 | jq -r .payment_request) | jq -r .status
  curl -s "$URL/v1/wallet/$WALLET?fields=balance" -H "$H"; echo
  bin/satchel reconcile
}
