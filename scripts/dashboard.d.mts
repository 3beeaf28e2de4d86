export declare function isDashboardCurrent(): boolean;
export declare function buildDashboard(): void;
