export declare const NODE_PACKAGE: string;
export declare function isAccepted(version: string, engines: string): boolean;
export declare function installedNode(root: string): string | undefined;
