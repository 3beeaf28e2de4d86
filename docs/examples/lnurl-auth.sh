# A wallet that logs in with LNURL-auth (LUD-04): signs the challenge in $1, a URL, with a new key. It needs openssl.
K1=$(echo "$1" | sed 's/.*k1=\([0-9a-f]*\).*/\1/')
hex() { od -An -tx1 | tr -d ' \n'; }
openssl ecparam -genkey -name secp256k1 -noout -out wallet.pem
SIG=$(printf "$(echo $K1 | sed 's/../\\x&/g')" | openssl pkeyutl -sign -inkey wallet.pem | hex)
PUBKEY=$(openssl ec -in wallet.pem -pubout -conv_form compressed -outform DER 2> /dev/null | tail -c 33 | hex); rm wallet.pem
curl -s "$1&sig=$SIG&key=$PUBKEY"; echo
