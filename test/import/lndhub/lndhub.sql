SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.transaction_entries (
    id integer NOT NULL,
    user_id bigint NOT NULL,
    invoice_id bigint NOT NULL,
    parent_id bigint,
    credit_account_id bigint NOT NULL,
    debit_account_id bigint NOT NULL,
    amount bigint NOT NULL,
    created_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    entry_type character varying,
    CONSTRAINT check_not_same_account CHECK ((debit_account_id <> credit_account_id))
);
CREATE VIEW public.account_ledgers AS
 SELECT transaction_entries.credit_account_id AS account_id,
    transaction_entries.id AS transaction_entry_id,
    transaction_entries.amount
   FROM public.transaction_entries
UNION ALL
 SELECT transaction_entries.debit_account_id AS account_id,
    transaction_entries.id AS transaction_entry_id,
    (0 - transaction_entries.amount) AS amount
   FROM public.transaction_entries;
CREATE TABLE public.accounts (
    id integer NOT NULL,
    user_id bigint NOT NULL,
    type character varying NOT NULL
);
CREATE SEQUENCE public.accounts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.accounts_id_seq OWNED BY public.accounts.id;
CREATE TABLE public.bun_migration_locks (
    id bigint NOT NULL,
    table_name character varying
);
CREATE SEQUENCE public.bun_migration_locks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.bun_migration_locks_id_seq OWNED BY public.bun_migration_locks.id;
CREATE TABLE public.bun_migrations (
    id bigint NOT NULL,
    name character varying,
    group_id bigint,
    migrated_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE SEQUENCE public.bun_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.bun_migrations_id_seq OWNED BY public.bun_migrations.id;
CREATE TABLE public.invoices (
    id integer NOT NULL,
    type character varying,
    user_id bigint,
    amount bigint,
    memo character varying,
    description_hash character varying,
    payment_request character varying,
    destination_pubkey_hex character varying NOT NULL,
    r_hash character varying,
    preimage character varying,
    internal boolean,
    state character varying DEFAULT 'initialized'::character varying,
    error_message character varying,
    add_index bigint,
    created_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp with time zone,
    updated_at timestamp with time zone,
    settled_at timestamp with time zone,
    fee bigint DEFAULT 0,
    keysend boolean,
    destination_custom_records jsonb,
    service_fee bigint DEFAULT 0,
    routing_fee bigint DEFAULT 0,
    CONSTRAINT check_primage_exists CHECK ((((state)::text <> 'settled'::text) OR ((preimage IS NOT NULL) AND ((state)::text = 'settled'::text))))
);
CREATE SEQUENCE public.invoices_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.invoices_id_seq OWNED BY public.invoices.id;
CREATE SEQUENCE public.transaction_entries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.transaction_entries_id_seq OWNED BY public.transaction_entries.id;
CREATE TABLE public.users (
    id integer NOT NULL,
    email character varying,
    login character varying NOT NULL,
    password character varying NOT NULL,
    created_at timestamp with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp with time zone,
    deactivated boolean DEFAULT false,
    deleted boolean DEFAULT false
);
CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;
ALTER TABLE ONLY public.accounts ALTER COLUMN id SET DEFAULT nextval('public.accounts_id_seq'::regclass);
ALTER TABLE ONLY public.bun_migration_locks ALTER COLUMN id SET DEFAULT nextval('public.bun_migration_locks_id_seq'::regclass);
ALTER TABLE ONLY public.bun_migrations ALTER COLUMN id SET DEFAULT nextval('public.bun_migrations_id_seq'::regclass);
ALTER TABLE ONLY public.invoices ALTER COLUMN id SET DEFAULT nextval('public.invoices_id_seq'::regclass);
ALTER TABLE ONLY public.transaction_entries ALTER COLUMN id SET DEFAULT nextval('public.transaction_entries_id_seq'::regclass);
ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);
INSERT INTO public.accounts VALUES (1, 1, 'incoming');
INSERT INTO public.accounts VALUES (2, 1, 'current');
INSERT INTO public.accounts VALUES (3, 1, 'outgoing');
INSERT INTO public.accounts VALUES (4, 1, 'fees');
INSERT INTO public.accounts VALUES (5, 2, 'incoming');
INSERT INTO public.accounts VALUES (6, 2, 'current');
INSERT INTO public.accounts VALUES (7, 2, 'outgoing');
INSERT INTO public.accounts VALUES (8, 2, 'fees');
INSERT INTO public.accounts VALUES (9, 3, 'incoming');
INSERT INTO public.accounts VALUES (10, 3, 'current');
INSERT INTO public.accounts VALUES (11, 3, 'outgoing');
INSERT INTO public.accounts VALUES (12, 3, 'fees');
INSERT INTO public.accounts VALUES (13, 4, 'incoming');
INSERT INTO public.accounts VALUES (14, 4, 'current');
INSERT INTO public.accounts VALUES (15, 4, 'outgoing');
INSERT INTO public.accounts VALUES (16, 4, 'fees');
INSERT INTO public.accounts VALUES (17, 5, 'incoming');
INSERT INTO public.accounts VALUES (18, 5, 'current');
INSERT INTO public.accounts VALUES (19, 5, 'outgoing');
INSERT INTO public.accounts VALUES (20, 5, 'fees');
INSERT INTO public.accounts VALUES (21, 6, 'incoming');
INSERT INTO public.accounts VALUES (22, 6, 'current');
INSERT INTO public.accounts VALUES (23, 6, 'outgoing');
INSERT INTO public.accounts VALUES (24, 6, 'fees');
INSERT INTO public.accounts VALUES (25, 7, 'incoming');
INSERT INTO public.accounts VALUES (26, 7, 'current');
INSERT INTO public.accounts VALUES (27, 7, 'outgoing');
INSERT INTO public.accounts VALUES (28, 7, 'fees');
INSERT INTO public.bun_migrations VALUES (1, '20220115171101', 1, '2026-11-28 08:53:08.092874+00');
INSERT INTO public.bun_migrations VALUES (2, '20220119021600', 1, '2026-11-28 08:53:08.159899+00');
INSERT INTO public.bun_migrations VALUES (3, '20220120000700', 1, '2026-11-28 08:53:08.168343+00');
INSERT INTO public.bun_migrations VALUES (4, '20220301100000', 1, '2026-11-28 08:53:08.179078+00');
INSERT INTO public.bun_migrations VALUES (5, '20220304103000', 1, '2026-11-28 08:53:08.185483+00');
INSERT INTO public.bun_migrations VALUES (6, '20220308103000', 1, '2026-11-28 08:53:08.189152+00');
INSERT INTO public.bun_migrations VALUES (7, '20220518090000', 1, '2026-11-28 08:53:08.200433+00');
INSERT INTO public.bun_migrations VALUES (8, '20221226203000', 1, '2026-11-28 08:53:08.20688+00');
INSERT INTO public.bun_migrations VALUES (9, '20230113103000', 1, '2026-11-28 08:53:08.313372+00');
INSERT INTO public.bun_migrations VALUES (10, '20230503150000', 1, '2026-11-28 08:53:08.324382+00');
INSERT INTO public.bun_migrations VALUES (11, '20230524110000', 1, '2026-11-28 08:53:08.332366+00');
INSERT INTO public.bun_migrations VALUES (12, '20230703120000', 1, '2026-11-28 08:53:08.340416+00');
INSERT INTO public.bun_migrations VALUES (13, '20230703130000', 1, '2026-11-28 08:53:08.352369+00');
INSERT INTO public.bun_migrations VALUES (14, '20230928130000', 1, '2026-11-28 08:53:08.364423+00');
INSERT INTO public.bun_migrations VALUES (15, '20231123030000', 1, '2026-11-28 08:53:08.384363+00');
INSERT INTO public.bun_migrations VALUES (16, '20231229091800', 1, '2026-11-28 08:53:08.432397+00');
INSERT INTO public.bun_migrations VALUES (17, '20240103130000', 1, '2026-11-28 08:53:08.440356+00');
INSERT INTO public.invoices VALUES (1, 'incoming', 1, 100000, 'first deposit', NULL, 'lnbcrt1m1p4s49ncpp5a28qlwsc3txc46wa43s68dnvfpvn2kr95ya46grc7aysa75t96wsdq4ve5hyum5ypjx2ur0wd5hgcqzzsxqxjespsqsp5mc0vnf6rm3q0jcrp0c0jdttf9e7myhsz2etl8w2nwvudnrca7xqq9qrssq6ruwggulfsknc59rffype7u6p978r0pr488zf0ng0r90e5pacqhplms00f7gv9j42n9vleufq4x7qx3fyla9n3dy27ueqcfumtjcj8spf4z30m', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'ea8e0fba188acd8ae9ddac61a3b66c4859355865a13b5d2078f7490efa8b2e9d', 'f64bc986339e3d11a72af2ff065d39be43bda88f46e4e108f37b1fbbced79e8a', NULL, 'settled', NULL, 1, '2026-11-28 08:53:12.848616+00', '2026-11-29 08:53:12.848454+00', '2026-11-28 08:53:12.877453+00', '2026-11-28 08:53:12+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (2, 'incoming', 1, 777, 'an amount of the payer''s choice', NULL, 'lnbcrt1p4s49ncpp5gy6ll9jgpr5wf024aha2auvstydeypz58m376xqq5vc0ddytk9rsdpjv9hzqctdda6kuapqdanzqargv5s8qctev4ezwueqvd5x76trv5cqzzsxqxjespsqsp5dgyzh6qdg6d6ezgffjntgyv3rahlp8qmj0ek63kvqvddn0d6cfks9qrssqkw8pvctfa3zz65xg3wejy7yymme5v5ckavnya83v6jc8tg0r050nza83hs6cxkd2ye86dhxkfee5l2l792vlsx8ae6zc9sxc2gxwrlqqdl6k24', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '4135ff964808e8e4bd55edfaaef190591b9204543ee3ed1800a330f6b48bb147', '1f097bfb3aeecd44f1bb650f9d2e662c099915620f98119d06935f064f99fd62', NULL, 'settled', NULL, 2, '2026-11-28 08:53:12.89518+00', '2026-11-29 08:53:12.895116+00', '2026-11-28 08:53:12.901367+00', '2026-11-28 08:53:12+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (3, 'incoming', 1, 501, 'overpaid ünïcödé 🎉 ''quoted'' \ and "double"', NULL, 'lnbcrt5u1p4s49ncpp5d0yzm0mnqfwz37meyznvmwkpvkp8f0rd9262v6k3g2g27wems7wqdz0damx2unsv95kggxrh3hv8tmrcwmxfsafyrcflr5fyqnhzat0w3jkgfeqtssxzmnyyq3xgmm4vfkx2gscqzzsxqxjespsqsp5x3d6x9fuz9t4mddwjl6vscgvjas0ud5asl3p5pg9r3vcsxj5vkws9qrssqv8q8j0hq9mg8qqjzm68mt59ue97x32zpzyql5uvagg34drvwgawjefse3a6dfnzkvqh4r38etgn45v8tm5ek4lxaqlswf3kxhuvvnhspyc0yve', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '6bc82dbf73025c28fb7920a6cdbac1658274bc6d2ab4a66ad14290af3b3b879c', '259246c2e26a307160355eca1d1f078085cbeaf290dddd90d51b4730cd60afe2', NULL, 'settled', NULL, 3, '2026-11-28 08:53:12.904584+00', '2026-11-29 08:53:12.904531+00', '2026-11-28 08:53:12.912565+00', '2026-11-28 08:53:12+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (4, 'outgoing', 1, 1000, 'no service fee', NULL, 'lnbcrt10u1p4s49ncpp5wwh2cgspc0fw8aqzamlukvht53fe2vhsxu22wj9e3plt3k42c66qdqhdehjqum9wfmxjcm9ypnx2egcqzzsxqxjespsqsp58uaccrdtg0dwwre8w0hzunme9fehcwpc0g7546fc3yhye0aqlewq9qrssqrr5wdpvkyj7t4ar7upelrxcegxqgn2q5x4rvurzp80adalzkl8thydmgsga3jh9kekwgknr3ku0dpjxhvwdkf65x4868vkhzrvl8h9cqn50n9z', '034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc', '73aeac2201c3d2e3f402eeffcb32eba4539532f03714a748b9887eb8daaac6b4', '340c2844b2af2d02d2ce63f9dd29cfc1aa2f5457fbcb86ac102324ae69bd4a9c', NULL, 'settled', NULL, NULL, '2026-11-28 08:53:12.937387+00', '2046-11-23 08:53:12+00', '2026-11-28 08:53:12.948092+00', '2026-11-28 08:53:12.947945+00', 3, NULL, 'null', 0, 3);
INSERT INTO public.invoices VALUES (5, 'outgoing', 1, 20000, 'with a service fee', NULL, 'lnbcrt200u1p4s49ncpp550at3y6a4v0s4rt4ss7p92xld2la5u4vtmq32rm7xq4dt7ysw2zqdqawa5hg6pqvys8xetjwe5kxefqvejk2cqzzsxqxjespsqsp5jhw7auhc62wnsvwz42um7z0nunxr0qzrvwluhvmvdylqzq9wjgwq9qrssq5au6p9392p0pg5dje8zcg837n7a974asauex30jzrun43fl4cecjv3vsqd7zs7u02tvlps4cjehvpn9wptta7znd09yrvnn8ezyv3zspku4kpl', '034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc', 'a3fab8935dab1f0a8d75843c12a8df6abfda72ac5ec1150f7e302ad5f8907284', '870b78307000e43debf11dad99f6a1b908211ce0324c39e89c6672d134e531b5', NULL, 'settled', NULL, NULL, '2026-11-28 08:53:12.962443+00', '2046-11-23 08:53:12+00', '2026-11-28 08:53:12.983553+00', '2026-11-28 08:53:12.983368+00', 103, NULL, 'null', 100, 3);
INSERT INTO public.invoices VALUES (6, 'outgoing', 1, 5000, 'fails', NULL, 'lnbcrt50u1p4s49ncpp5ep2m3vsslejnmnjm7hgwxzfltt4n7jfpp0z0sazple5xq36czmgsdqgveskjmrncqzzsxqxjespsqsp562q0jukp69wc6ler684z08k8yrn9flytxv8ffnmdy7zpf0c020qq9qrssqgn9dftvpzre5mm83xc5dcnftulnas5suunwxx3tkmag38dahtup53pv5l00ft7trk02se727guf2kgl40k946zds2llamqsunzrml5cq7udcfl', '034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc', 'c855b8b210fe653dce5bf5d0e3093f5aeb3f49210bc4f87441fe6860475816d1', NULL, NULL, 'error', 'no_route', NULL, '2026-11-28 08:53:12.9897+00', '2046-11-23 08:53:12+00', '2026-11-28 08:53:12.996569+00', NULL, 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (7, 'incoming', 2, 2500, 'two coffees', NULL, 'lnbcrt25u1p4s49nepp59n9s6yz5t7vsa2fnck9hugnxm9vh4zn6670g9rwuxveelnnw3tksdqjw3mk7grrdanxvet9wvcqzzsxqxjespsqsp576z54qy0h97s4l6k5addephxp3ta98dh7vcup9ej0fxvnrjje79s9qrssqan4rffcnd4fhs9jxxsfrzj0lknmzrez5jkxgr0jqatxks8yfv5hkmgd09gn8s4l4mx4jsa8ky3fjas7g3wc7u00gsrtkrzhq76r5gvqq8uyt63', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '2ccb0d10545f990ea933c58b7e2266d9597a8a7ad79e828ddc33339fce6e8aed', 'e942b27db1b29553d57c742a5b3ab195f2e500cff2379f3847c5a58e535470f0', true, 'settled', NULL, 4, '2026-11-28 08:53:13.000778+00', '2026-11-29 08:53:13.000694+00', '2026-11-28 08:53:13.020267+00', '2026-11-28 08:53:13.020262+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (8, 'outgoing', 1, 2500, 'two coffees', NULL, 'lnbcrt25u1p4s49nepp59n9s6yz5t7vsa2fnck9hugnxm9vh4zn6670g9rwuxveelnnw3tksdqjw3mk7grrdanxvet9wvcqzzsxqxjespsqsp576z54qy0h97s4l6k5addephxp3ta98dh7vcup9ej0fxvnrjje79s9qrssqan4rffcnd4fhs9jxxsfrzj0lknmzrez5jkxgr0jqatxks8yfv5hkmgd09gn8s4l4mx4jsa8ky3fjas7g3wc7u00gsrtkrzhq76r5gvqq8uyt63', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '2ccb0d10545f990ea933c58b7e2266d9597a8a7ad79e828ddc33339fce6e8aed', 'e942b27db1b29553d57c742a5b3ab195f2e500cff2379f3847c5a58e535470f0', NULL, 'settled', NULL, NULL, '2026-11-28 08:53:13.008564+00', '2046-11-23 08:53:13+00', '2026-11-28 08:53:13.024394+00', '2026-11-28 08:53:13.024304+00', 13, NULL, 'null', 13, 0);
INSERT INTO public.invoices VALUES (9, 'outgoing', 1, 50, NULL, NULL, NULL, '034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc', '1aea29276c81077d60e3cbe87e87d5cba107c293aceb7cc59434d31a6df3d02e', 'ae5bebdb17320f5e3569baa6083c53d972ce4bedf45b6547658db4e74f13d0e2', NULL, 'settled', NULL, NULL, '2026-11-28 08:53:13.033038+00', '1970-01-01 00:00:00+00', '2026-11-28 08:53:13.052619+00', '2026-11-28 08:53:13.052451+00', 3, true, '{"7629169": "e30=", "5482373484": "O5lrJWcTL42rbY/s5Gve1rnFi4HMq9kir7AHk36xFQo="}', 0, 3);
INSERT INTO public.invoices VALUES (11, 'incoming', 2, 60, NULL, NULL, NULL, '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'a1fc8d23afa84a877fc34cc38a3f0f2f8571bd6184fcde7988578a41c021bcfb', '7a01e9953a1bfb3c663615be26ceedbf0f4ea2ef22ea55c7ee21647522eb8017', true, 'settled', NULL, NULL, '2026-11-28 08:53:13.067293+00', '2026-11-29 08:53:13.06713+00', '2026-11-28 08:53:13.070578+00', '2026-11-28 08:53:13.070572+00', 0, true, '{"696969": "c2hvcEBleGFtcGxlLmNvbQ=="}', 0, 0);
INSERT INTO public.invoices VALUES (10, 'outgoing', 1, 60, NULL, NULL, NULL, '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'a1fc8d23afa84a877fc34cc38a3f0f2f8571bd6184fcde7988578a41c021bcfb', '7a01e9953a1bfb3c663615be26ceedbf0f4ea2ef22ea55c7ee21647522eb8017', NULL, 'settled', NULL, NULL, '2026-11-28 08:53:13.060827+00', '1970-01-01 00:00:00+00', '2026-11-28 08:53:13.073665+00', '2026-11-28 08:53:13.07358+00', 0, true, '{"696969": "c2hvcEBleGFtcGxlLmNvbQ=="}', 0, 0);
INSERT INTO public.invoices VALUES (12, 'incoming', 2, 1234, 'open invoice', NULL, 'lnbcrt12340n1p4s49nepp5lz4mkvhvvhr0c6ffg8wpe69z2pt3gp0p8wg5meu6hmw32wgtw6mqdq5dacx2m3qd9h8vmmfvdjscqzzsxqxjespsqsp5ap46lespjjt0dhgjtfwrdkz3hgcfd0gqh6w48ty8sw0k6u04q63q9qrssq8ghgfjnrdc47fjfcqsl297kt2flpu7w8j8cvtfv8jqpv9rjrg2hsqynlcxmfr4xa0cz5734jr27fwcg8089je8dkccwvw0ty0j0xvxgpdu98ze', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'f8abbb32ec65c6fc692941dc1ce8a250571405e13b914de79abedd15390b76b6', '1ec5b80b8558ad78cb118cab7f36cf6a83636f8c15e2391b495179e68f767fbe', NULL, 'open', NULL, 5, '2026-11-28 08:53:13.077751+00', '2026-11-29 08:53:13.077689+00', '2026-11-28 08:53:13.078837+00', NULL, 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (13, 'incoming', 2, 0, 'open invoice without an amount', NULL, 'lnbcrt1p4s49nepp54um86cyawgzk9wss69wsc7hehr0upcvxqup5altvsslkx5cq7j5sdpsdacx2m3qd9h8vmmfvdjjqamfw35x7at5ypskugrpd4hh2mn5cqzzsxqxjespsqsp5vlemj075lfqxwy9w2sgnxh7hrssyxnvxmtuct7x49zku5rc5ms9s9qrssqn93p3y2frg6fw6a366fce9g8zfltn8gca0tjhplfgmn9tjs2whcj0vzhpltfj94mtphvwekedw3az24y5q0spqdzlyvvrfldsgl70sqpwa37a2', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'af367d609d720562ba10d15d0c7af9b8dfc0e18607034efd6c843f635300f4a9', 'fa92f8fdec247748da55f0ce484aac02b0e3639563d7a9aec2bb4cb1007a27db', NULL, 'open', NULL, 6, '2026-11-28 08:53:13.080999+00', '2026-11-29 08:53:13.080943+00', '2026-11-28 08:53:13.082606+00', NULL, 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (14, 'incoming', 2, 55, NULL, 'abababababababababababababababababababababababababababababababab', 'lnbcrt550n1p4s49nepp54cv8tsdh4rklqqjy7yd4jt00f9yzywk7atqt722k74pq73awue7qhp54w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w46h2at4w4scqzzsxqxjespsqsp5wnudxewslspt8c22r99e3na3wdgf9v5zd2rrklwznqz6xfgq0tvq9qrssqr7dmzs90qk7z8suc6cztkegfzacw95fmx72arqkl0k32n2kqf9kzm3gjuytgds7smdmf7f0klqat8y2uucqs0uvl8v5uraytwakz42gp8c4yv2', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'ae1875c1b7a8edf00244f11b592def4948223adeeac0bf2956f5420f47aee67c', '1be7e6f92f0960be0f6668a7151c229f126d05e8c7e5f03142145aa063336b3c', NULL, 'open', NULL, 7, '2026-11-28 08:53:13.085303+00', '2026-11-29 08:53:13.085246+00', '2026-11-28 08:53:13.088528+00', NULL, 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (15, 'incoming', 2, 99, 'expires at once', NULL, 'lnbcrt990n1p4s49nepp5myfp8hwjzn2skeywumevg8fqsu0tvfgm86tw8ue8wvt0fjkr2rkqdqcv4u8q6tjv4ejqct5yphkucm9cqzzsxqppsp5fphkj5wwfua8m78y2g4wa3rzqvkr246yes2t0lksnc46qe80mk0q9qrssqhq7s4000vv0vjtpshd3ql6gsaj968a86c0n0xum6yn5am3v78gekuwfr2q0fss6vngtyrhprgl8fm3v8awzn2tpgvhsauye7eyt5h3qpqd9v4h', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'd91213ddd214d50b648ee6f2c41d20871eb6251b3e96e3f3277316f4cac350ec', 'c96f7a494051bc4ec9106e3ca793ed8a6d5f0bba3f9dceee33172148aea87d60', NULL, 'open', NULL, 8, '2026-11-28 08:53:13.097677+00', '2026-11-29 08:53:13.097598+00', '2026-11-28 08:53:13.100454+00', NULL, 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (16, 'incoming', 4, 4000, 'balance of a deactivated user', NULL, 'lnbcrt40u1p4s49nepp5sps23ufxqckkj5qsqj2grpf79uu9fmmwmxxvcj57dstw9cpmu22sdp0vfskcctwvdjjqmmxypsjqer9v93hg6tkv96x2epqw4ek2uscqzzsxqxjespsqsp554t4940axghlrz3c7lddzd2pxz3xtpdkvvv7z0z5ekewvfp6t6cq9qrssqeptlhtsa03mf9r3u2v7mg37xk87f0f37rzphnp7qmltp5zv9t2a580ak4ckzpk73trjejrmn7ej8vechpzz4ap7dttgnszljg60mfvqpft6tfr', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '8060a8f126062d695010049481853e2f3854ef6ed98ccc4a9e6c16e2e03be295', 'ecc25cd408303fd4458a62ec605464d0d87592493d5d7465947ce797a087c2bc', NULL, 'settled', NULL, 9, '2026-11-28 08:53:13.105801+00', '2026-11-29 08:53:13.105737+00', '2026-11-28 08:53:13.118385+00', '2026-11-28 08:53:13+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (18, 'incoming', 6, 1000, 'all of it is spent', NULL, 'lnbcrt10u1p4s49nepp5jvyspavxn4cjmsnh0wyzjwg8qzchymjuq809ltzpvy9qyc64smrsdqav9kxcgr0vcsxjapqd9ejqumsv4h8gcqzzsxqxjespsqsp5xlaagjuwltcgxdp7rv555slrqtk9uj84j9d20lrpggt5dxsk6cgs9qrssqupxh3cg4yrgnwgxx704j272dagzstmxpd0u7dg02t5ev68stu8fjpxs09wfzdqd22nhw69hk3nkzpk4wsuzlg8qvr86tpc8lhwpyjnqp8jvd67', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '930900f5869d712dc2777b8829390700b1726e5c01de5fac41610a02635586c7', '6d6224224fcb73c6453515a4d204428e4226fb67775ed9ae55d20adaf5e01324', NULL, 'settled', NULL, 11, '2026-11-28 08:53:13.177788+00', '2026-11-29 08:53:13.177723+00', '2026-11-28 08:53:13.18113+00', '2026-11-28 08:53:13+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (19, 'outgoing', 6, 1000, 'costs 9 more than there is', NULL, 'lnbcrt10u1p4s49nepp5g6j3d3nv68umpf2z32djck2md6m8ca4k3t5s8jvsze0axexnl9gsdp2vdhhxarnyqujqmt0wfjjqargv9hzqargv4ex2grfwvcqzzsxqxjespsqsp5urr4xrxsedadn53pu6zwsmd4ezm546hg9plumu38qry037y8f2wq9qrssqsycyw0w0fs8mjz9rsqtz2a3c5umhpxxjmesas55rdxk5edeens24p5acc7stsaskwnlynedyv52edzgl56yqweldyursnwcv7mcnrwqpfwev26', '034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc', '46a516c66cd1f9b0a5428a9b2c595b6eb67c76b68ae903c990165fd364d3f951', '6f194d98fbbbc1d95aae0278b490d35db72f156d51da755b8b39b9e9cedbdd48', NULL, 'settled', NULL, NULL, '2026-11-28 08:53:13.185001+00', '2046-11-23 08:53:13+00', '2026-11-28 08:53:13.196383+00', '2026-11-28 08:53:13.196205+00', 9, NULL, 'null', 0, 9);
INSERT INTO public.invoices VALUES (20, 'incoming', 7, 9000, 'deposit', NULL, 'lnbcrt90u1p4s49nepp5mnj0p9c8xmwdqyezvr953hw2cwygs8uxaalt37ut6lj2030ncj3qdqvv3jhqmmnd96qcqzzsxqxjespsqsp579ptqpe63rrhmg5mkygcnr6s8tfr2lf4v4nhhwdnsu3l3hkcflsq9qrssqujq6pkp89gnww3ttz0xc0uvc2c8q8qcy5hmanupe73ewq4p6tduyp23pvym05xh7p3klme4ex64qy9vtmgjf07jjg6fzd3ks0melpyqqrykuw2', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', 'dce4f0970736dcd0132260cb48ddcac388881f86ef7eb8fb8bd7e4a7c5f3c4a2', 'f606da0e933865d7fd4156f589ca981dc893de67ae26c9851ee89cf522b41664', NULL, 'settled', NULL, 12, '2026-11-28 08:53:13.201726+00', '2026-11-29 08:53:13.201659+00', '2026-11-28 08:53:13.209185+00', '2026-11-28 08:53:13+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (17, 'incoming', 5, 3000, 'balance of a deleted user', NULL, 'lnbcrt30u1p4s49nepp5dk566qtq8etx6n7sw9mjfq0f3f8896zk7a9f84p6dwg7s93tgm2qdpgvfskcctwvdjjqmmxypsjqer9d3jhgetyyp6hxetjcqzzsxqxjespsqsp50mu3e20t66pjllj2vy3kx3rrkcd998myzsa2qntdf0zhx4tlt2qq9qrssqn83dyuypf5kjvz2v8m90yqyqk6m25kszp7d7srv38tj3g967kgwn6lu8wgt3fmmu278ku7fm0cllht2h4czd5w7rnrr4r2r3lq67xncq50rfpp', '02a6d517b2d4ee67fb50d3df9ca3b9c9aa7fdfe8f9dd7af3d6e6f78ab3428932e1', '6da9ad01603e566d4fd071772481e98a4e72e856f74a93d43a6b91e8162b46d4', 'b5254a6e9dc3eccff3e8c45ee2bc35c017146a630118cacf3862ff3aa4ef2eb8', NULL, 'settled', NULL, 10, '2026-11-28 08:53:13.141306+00', '2026-11-29 08:53:13.141218+00', '2026-11-28 08:53:13.153544+00', '2026-11-28 08:53:13+00', 0, NULL, 'null', 0, 0);
INSERT INTO public.invoices VALUES (21, 'outgoing', 7, 2000, 'stays pending', NULL, 'lnbcrt20u1p4s49nepp5ntn6s8v4uj9gk9l7sw7y0k7nymxfdhhp43r23v0p2xr3qrrg4fwqdq4wd6xz7tnypcx2mnyd9hxwcqzzsxqxjespsqsp5wt2zdps9x2m5xk08r25eg5p9avd7xtsmmh0r0cma9nn24smju94q9qrssquy66ypssjz8kahkeshep92lsnyv4lrah8t6f29qtewwmx343vne8p0qek8knkz5uguxvmtrh29fller30h3ru76pdwghljce0nllydqppcndn8', '034042d29f1dd02660ce28ebd5381f496343ea407539d202a67dd6975caf609edc', '9ae7a81d95e48a8b17fe83bc47dbd326cc96dee1ac46a8b1e15187100c68aa5c', NULL, NULL, 'initialized', NULL, NULL, '2026-11-28 08:53:13.234376+00', '2046-11-23 08:53:13+00', NULL, NULL, 0, NULL, 'null', 0, 0);
INSERT INTO public.transaction_entries VALUES (1, 1, 1, NULL, 2, 1, 100000, '2026-11-28 08:53:12.877415+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (2, 1, 2, NULL, 2, 1, 777, '2026-11-28 08:53:12.90132+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (3, 1, 3, NULL, 2, 1, 501, '2026-11-28 08:53:12.912517+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (4, 1, 4, NULL, 3, 2, 1000, '2026-11-28 08:53:12.940906+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (5, 1, 4, 4, 4, 2, 10, '2026-11-28 08:53:12.940906+00', 'fee_reserve');
INSERT INTO public.transaction_entries VALUES (6, 1, 4, NULL, 2, 4, 10, '2026-11-28 08:53:12.947997+00', 'fee_reserve_reversal');
INSERT INTO public.transaction_entries VALUES (7, 1, 4, 4, 4, 2, 3, '2026-11-28 08:53:12.947997+00', 'fee');
INSERT INTO public.transaction_entries VALUES (8, 1, 5, NULL, 3, 2, 20000, '2026-11-28 08:53:12.966313+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (9, 1, 5, 8, 4, 2, 201, '2026-11-28 08:53:12.966313+00', 'fee_reserve');
INSERT INTO public.transaction_entries VALUES (10, 1, 5, 8, 4, 2, 100, '2026-11-28 08:53:12.966313+00', 'service_fee');
INSERT INTO public.transaction_entries VALUES (11, 1, 5, NULL, 2, 4, 201, '2026-11-28 08:53:12.983428+00', 'fee_reserve_reversal');
INSERT INTO public.transaction_entries VALUES (12, 1, 5, 8, 4, 2, 3, '2026-11-28 08:53:12.983428+00', 'fee');
INSERT INTO public.transaction_entries VALUES (13, 1, 6, NULL, 3, 2, 5000, '2026-11-28 08:53:12.992839+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (14, 1, 6, 13, 4, 2, 51, '2026-11-28 08:53:12.992839+00', 'fee_reserve');
INSERT INTO public.transaction_entries VALUES (15, 1, 6, 13, 4, 2, 25, '2026-11-28 08:53:12.992839+00', 'service_fee');
INSERT INTO public.transaction_entries VALUES (16, 1, 6, NULL, 2, 4, 51, '2026-11-28 08:53:12.99556+00', 'fee_reserve_reversal');
INSERT INTO public.transaction_entries VALUES (17, 1, 6, NULL, 2, 4, 25, '2026-11-28 08:53:12.99556+00', 'service_fee_reversal');
INSERT INTO public.transaction_entries VALUES (18, 1, 6, NULL, 2, 3, 5000, '2026-11-28 08:53:12.99556+00', 'outgoing_reversal');
INSERT INTO public.transaction_entries VALUES (19, 1, 8, NULL, 3, 2, 2500, '2026-11-28 08:53:13.017072+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (20, 1, 8, 19, 4, 2, 13, '2026-11-28 08:53:13.017072+00', 'service_fee');
INSERT INTO public.transaction_entries VALUES (21, 2, 7, NULL, 6, 5, 2500, '2026-11-28 08:53:13.019689+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (22, 1, 9, NULL, 3, 2, 50, '2026-11-28 08:53:13.040671+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (23, 1, 9, 22, 4, 2, 10, '2026-11-28 08:53:13.040671+00', 'fee_reserve');
INSERT INTO public.transaction_entries VALUES (24, 1, 9, NULL, 2, 4, 10, '2026-11-28 08:53:13.052507+00', 'fee_reserve_reversal');
INSERT INTO public.transaction_entries VALUES (25, 1, 9, 22, 4, 2, 3, '2026-11-28 08:53:13.052507+00', 'fee');
INSERT INTO public.transaction_entries VALUES (26, 1, 10, NULL, 3, 2, 60, '2026-11-28 08:53:13.065193+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (27, 2, 11, NULL, 6, 5, 60, '2026-11-28 08:53:13.068849+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (28, 4, 16, NULL, 14, 13, 4000, '2026-11-28 08:53:13.118342+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (29, 5, 17, NULL, 18, 17, 3000, '2026-11-28 08:53:13.153501+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (30, 6, 18, NULL, 22, 21, 1000, '2026-11-28 08:53:13.181094+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (31, 6, 19, NULL, 23, 22, 1000, '2026-11-28 08:53:13.191733+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (32, 6, 19, 31, 24, 22, 10, '2026-11-28 08:53:13.191733+00', 'fee_reserve');
INSERT INTO public.transaction_entries VALUES (33, 6, 19, NULL, 22, 24, 10, '2026-11-28 08:53:13.196271+00', 'fee_reserve_reversal');
INSERT INTO public.transaction_entries VALUES (34, 6, 19, 31, 24, 22, 9, '2026-11-28 08:53:13.196271+00', 'fee');
INSERT INTO public.transaction_entries VALUES (35, 7, 20, NULL, 26, 25, 9000, '2026-11-28 08:53:13.209152+00', 'incoming');
INSERT INTO public.transaction_entries VALUES (36, 7, 21, NULL, 27, 26, 2000, '2026-11-28 08:53:13.240795+00', 'outgoing');
INSERT INTO public.transaction_entries VALUES (37, 7, 21, 36, 28, 26, 21, '2026-11-28 08:53:13.240795+00', 'fee_reserve');
INSERT INTO public.transaction_entries VALUES (38, 7, 21, 36, 28, 26, 10, '2026-11-28 08:53:13.240795+00', 'service_fee');
INSERT INTO public.users VALUES (1, NULL, 'LUudJCmyf9ViWIrQVOet', '$2a$10$RUuFEjrfAXr7Vsjp8DSsMO8rGnMM.IZiPNEbaZANMOw6xX7jPEpKi', '2026-11-28 08:53:10.605823+00', NULL, false, false);
INSERT INTO public.users VALUES (2, NULL, 'shop@example.com', '$2a$10$OIPz3pbnaHxmFCrgQbwDkuhSyHTrV8UxDplBoLrEh2LXk87jTtyOm', '2026-11-28 08:53:11.164242+00', NULL, false, false);
INSERT INTO public.users VALUES (3, NULL, 'M6UOJaT1R17o0uVfGyev', '$2a$10$P4u3IA6lV0kx0fnvtELLreQJNQwSJ91MvC43GL58V0rlO9VzntN4y', '2026-11-28 08:53:11.593969+00', NULL, false, false);
INSERT INTO public.users VALUES (6, NULL, 'FzW8xT5BZQCAPMOf3Z0o', '$2a$10$LCjNXgEiXE110zifeNhDaedPEFVk4juLYb0KD3qOCZXWG/K3q/zQS', '2026-11-28 08:53:12.414475+00', NULL, false, false);
INSERT INTO public.users VALUES (7, NULL, 'Qo89JaPk5k1hlRRoqe0w', '$2a$10$VJ1s26rGs1jhXqzZM4AyhOnVSe7O41k78xPF9Gnk/CYpaBWIXY4ZW', '2026-11-28 08:53:12.67668+00', NULL, false, false);
INSERT INTO public.users VALUES (4, NULL, 'McD6IoLSoEJEB23IvUK0', '$2a$10$9hNT/4TWjMKN1xnl/.g6Y.Eo82/tJNncr14GO3y.HZX/BQHilBHCy', '2026-11-28 08:53:11.869643+00', '2026-11-28 08:53:14.263383+00', true, false);
INSERT INTO public.users VALUES (5, NULL, 'wAuggeHLbXw8u2rX9qBL', '$2a$10$onhZ5/W6wSbPZaJxRfo7IuVXIVJyVtcPM2huU2VcgozOFbcjuKHuO', '2026-11-28 08:53:12.165533+00', '2026-11-28 08:53:14.268767+00', true, true);
SELECT pg_catalog.setval('public.accounts_id_seq', 28, true);
SELECT pg_catalog.setval('public.bun_migration_locks_id_seq', 1, false);
SELECT pg_catalog.setval('public.bun_migrations_id_seq', 17, true);
SELECT pg_catalog.setval('public.invoices_id_seq', 21, true);
SELECT pg_catalog.setval('public.transaction_entries_id_seq', 38, true);
SELECT pg_catalog.setval('public.users_id_seq', 7, true);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bun_migration_locks
    ADD CONSTRAINT bun_migration_locks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bun_migration_locks
    ADD CONSTRAINT bun_migration_locks_table_name_key UNIQUE (table_name);
ALTER TABLE ONLY public.bun_migrations
    ADD CONSTRAINT bun_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.transaction_entries
    ADD CONSTRAINT transaction_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.transaction_entries
    ADD CONSTRAINT unique_tx_entry_tuple UNIQUE (user_id, invoice_id, debit_account_id, credit_account_id, entry_type);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_login_key UNIQUE (login);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.transaction_entries
    ADD CONSTRAINT fk_credit_account FOREIGN KEY (credit_account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.transaction_entries
    ADD CONSTRAINT fk_debit_account FOREIGN KEY (debit_account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT fk_user FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT fk_user FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.transaction_entries
    ADD CONSTRAINT fk_user FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
