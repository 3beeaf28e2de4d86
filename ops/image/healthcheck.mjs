// The health check of the image, which has no curl. Exits with 1 unless the process of the service responds.
const response = await fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).catch(() => undefined);
process.exit(response?.ok ? 0 : 1);
