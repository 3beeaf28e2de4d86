#!/bin/sh
# Builds the image from this clone with docker, podman or buildah, whichever works first:
#   scripts/image.sh [<name>:<tag>] [<options of the build>]
# The context is the package with its production dependencies from package-lock.json. The build loads nothing but the image of Node
# (--build-arg NODE_IMAGE=…). All times are those of the commit.
set -eu
cd "$(dirname "$0")/.."
image=${1:-satchel:latest}
[ $# -eq 0 ] || shift
npm run --silent release >&2

context=release/image
mkdir -p "$context/app" "$context/volume/data"
tar -xzf release/satchel-*.tgz -C "$context/app" --strip-components=1
cp package-lock.json "$context/app/"
(cd "$context/app" && npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
rm "$context/app/package-lock.json" "$context/app/node_modules/.package-lock.json"
cp ops/image/rootfs.mjs "$context/"
chmod -R u=rwX,go=rX "$context"
chmod 700 "$context/volume/data"

time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
file=ops/image/Containerfile
set -- --build-arg "VERSION=$(node -p "require('./package.json').version")" \
  --build-arg "HOMEPAGE=$(node -p "require('./package.json').homepage")" \
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || true)" \
  --build-arg "CREATED=$(date -u -d "@$time" +%Y-%m-%dT%H:%M:%SZ)" "$@"
if docker info >/dev/null 2>&1; then
  SOURCE_DATE_EPOCH=$time docker build --tag "$image" --file "$file" "$@" "$context"
elif command -v podman >/dev/null; then
  podman build --layers=false --format docker --timestamp "$time" --tag "$image" --file "$file" "$@" "$context"
elif command -v buildah >/dev/null; then
  buildah build --layers=false --format docker --timestamp "$time" --tag "$image" --file "$file" "$@" "$context"
else
  echo "Building the image needs docker, podman or buildah." >&2
  exit 1
fi
