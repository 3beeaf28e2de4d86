/** The path at which the service publishes the dashboard, with a slash at the end. It is `/` unless PUBLIC_URL has a path. */
export const BASE_PATH = new URL(document.baseURI).pathname;

/** The address of the service, without a slash at the end. */
export const SERVICE_URL = document.baseURI.replace(/\/$/, '');
