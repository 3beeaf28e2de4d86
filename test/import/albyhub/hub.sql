--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: app_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.app_permissions (
    id integer NOT NULL,
    app_id integer,
    scope text,
    max_amount_sat integer,
    budget_renewal text,
    expires_at timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);


--
-- Name: app_permissions_2_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.app_permissions_2_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: app_permissions_2_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.app_permissions_2_id_seq OWNED BY public.app_permissions.id;


--
-- Name: apps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.apps (
    id integer NOT NULL,
    name text,
    description text,
    app_pubkey text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    isolated boolean,
    metadata json,
    wallet_pubkey text,
    last_used_at timestamp with time zone,
    last_settled_transaction_at timestamp with time zone
);


--
-- Name: apps_2_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.apps_2_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: apps_2_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.apps_2_id_seq OWNED BY public.apps.id;


--
-- Name: forwards; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forwards (
    id integer NOT NULL,
    outbound_amount_forwarded_msat bigint,
    total_fee_earned_msat bigint,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);


--
-- Name: forwards_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.forwards_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: forwards_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.forwards_id_seq OWNED BY public.forwards.id;


--
-- Name: migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations (
    id character varying(255) NOT NULL
);


--
-- Name: request_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_events (
    id integer NOT NULL,
    app_id integer,
    nostr_id text,
    state text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    method text,
    content_data text
);


--
-- Name: request_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.request_events_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: request_events_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.request_events_id_seq OWNED BY public.request_events.id;


--
-- Name: response_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.response_events (
    id integer NOT NULL,
    nostr_id text,
    request_id integer,
    state text,
    replied_at timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);


--
-- Name: response_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.response_events_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: response_events_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.response_events_id_seq OWNED BY public.response_events.id;


--
-- Name: swaps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.swaps (
    id integer NOT NULL,
    swap_id text,
    type text,
    state text,
    invoice text,
    send_amount integer,
    receive_amount integer,
    destination_address text,
    refund_address text,
    lockup_address text,
    boltz_pubkey text,
    preimage text,
    payment_hash text,
    lockup_tx_id text,
    claim_tx_id text,
    auto_swap boolean,
    timeout_block_height integer,
    swap_tree json,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    used_xpub boolean
);


--
-- Name: swaps_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.swaps_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: swaps_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.swaps_id_seq OWNED BY public.swaps.id;


--
-- Name: transactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.transactions (
    id integer NOT NULL,
    app_id integer,
    request_event_id integer,
    type text,
    state text,
    payment_request text,
    preimage text,
    payment_hash text,
    description text,
    description_hash text,
    amount_msat bigint,
    fee_msat integer,
    fee_reserve_msat integer,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    expires_at timestamp with time zone,
    settled_at timestamp with time zone,
    self_payment boolean,
    boostagram json,
    metadata json,
    failure_reason text,
    hold boolean,
    settle_deadline integer
);


--
-- Name: transactions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.transactions_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: transactions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.transactions_id_seq OWNED BY public.transactions.id;


--
-- Name: user_configs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_configs (
    id integer NOT NULL,
    key text NOT NULL,
    value text,
    encrypted boolean,
    created_at timestamp with time zone,
    updated_at timestamp with time zone
);


--
-- Name: user_configs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.user_configs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: user_configs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.user_configs_id_seq OWNED BY public.user_configs.id;


--
-- Name: app_permissions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_permissions ALTER COLUMN id SET DEFAULT nextval('public.app_permissions_2_id_seq'::regclass);


--
-- Name: apps id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.apps ALTER COLUMN id SET DEFAULT nextval('public.apps_2_id_seq'::regclass);


--
-- Name: forwards id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forwards ALTER COLUMN id SET DEFAULT nextval('public.forwards_id_seq'::regclass);


--
-- Name: request_events id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_events ALTER COLUMN id SET DEFAULT nextval('public.request_events_id_seq'::regclass);


--
-- Name: response_events id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.response_events ALTER COLUMN id SET DEFAULT nextval('public.response_events_id_seq'::regclass);


--
-- Name: swaps id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps ALTER COLUMN id SET DEFAULT nextval('public.swaps_id_seq'::regclass);


--
-- Name: transactions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.transactions ALTER COLUMN id SET DEFAULT nextval('public.transactions_id_seq'::regclass);


--
-- Name: user_configs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_configs ALTER COLUMN id SET DEFAULT nextval('public.user_configs_id_seq'::regclass);


--
-- Data for Name: app_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_permissions VALUES (1, 1, 'pay_invoice', 50000, 'monthly', NULL, '2026-11-28 14:05:50.815697+00', '2026-11-28 14:05:50.815697+00');
INSERT INTO public.app_permissions VALUES (2, 1, 'get_balance', 50000, 'monthly', NULL, '2026-11-28 14:05:50.815878+00', '2026-11-28 14:05:50.815878+00');
INSERT INTO public.app_permissions VALUES (3, 1, 'get_info', 50000, 'monthly', NULL, '2026-11-28 14:05:50.816018+00', '2026-11-28 14:05:50.816018+00');
INSERT INTO public.app_permissions VALUES (4, 1, 'make_invoice', 50000, 'monthly', NULL, '2026-11-28 14:05:50.816219+00', '2026-11-28 14:05:50.816219+00');
INSERT INTO public.app_permissions VALUES (5, 1, 'lookup_invoice', 50000, 'monthly', NULL, '2026-11-28 14:05:50.816379+00', '2026-11-28 14:05:50.816379+00');
INSERT INTO public.app_permissions VALUES (6, 1, 'list_transactions', 50000, 'monthly', NULL, '2026-11-28 14:05:50.816525+00', '2026-11-28 14:05:50.816525+00');
INSERT INTO public.app_permissions VALUES (7, 1, 'notifications', 50000, 'monthly', NULL, '2026-11-28 14:05:50.816642+00', '2026-11-28 14:05:50.816642+00');
INSERT INTO public.app_permissions VALUES (8, 2, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.821143+00', '2026-11-28 14:05:50.821143+00');
INSERT INTO public.app_permissions VALUES (9, 2, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.821311+00', '2026-11-28 14:05:50.821311+00');
INSERT INTO public.app_permissions VALUES (10, 2, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.821423+00', '2026-11-28 14:05:50.821423+00');
INSERT INTO public.app_permissions VALUES (11, 2, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.821564+00', '2026-11-28 14:05:50.821564+00');
INSERT INTO public.app_permissions VALUES (12, 2, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.821669+00', '2026-11-28 14:05:50.821669+00');
INSERT INTO public.app_permissions VALUES (13, 2, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.821807+00', '2026-11-28 14:05:50.821807+00');
INSERT INTO public.app_permissions VALUES (14, 2, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.821947+00', '2026-11-28 14:05:50.821947+00');
INSERT INTO public.app_permissions VALUES (15, 3, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.82567+00', '2026-11-28 14:05:50.82567+00');
INSERT INTO public.app_permissions VALUES (16, 3, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.82586+00', '2026-11-28 14:05:50.82586+00');
INSERT INTO public.app_permissions VALUES (17, 3, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.826021+00', '2026-11-28 14:05:50.826021+00');
INSERT INTO public.app_permissions VALUES (18, 3, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.826178+00', '2026-11-28 14:05:50.826178+00');
INSERT INTO public.app_permissions VALUES (19, 3, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.826293+00', '2026-11-28 14:05:50.826293+00');
INSERT INTO public.app_permissions VALUES (20, 3, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.826431+00', '2026-11-28 14:05:50.826431+00');
INSERT INTO public.app_permissions VALUES (21, 3, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.826582+00', '2026-11-28 14:05:50.826582+00');
INSERT INTO public.app_permissions VALUES (22, 4, 'superuser', 0, 'monthly', NULL, '2026-11-28 14:05:50.829238+00', '2026-11-28 14:05:50.829238+00');
INSERT INTO public.app_permissions VALUES (23, 4, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.829389+00', '2026-11-28 14:05:50.829389+00');
INSERT INTO public.app_permissions VALUES (24, 4, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.829494+00', '2026-11-28 14:05:50.829494+00');
INSERT INTO public.app_permissions VALUES (25, 4, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.829671+00', '2026-11-28 14:05:50.829671+00');
INSERT INTO public.app_permissions VALUES (26, 4, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.829772+00', '2026-11-28 14:05:50.829772+00');
INSERT INTO public.app_permissions VALUES (27, 4, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.829922+00', '2026-11-28 14:05:50.829922+00');
INSERT INTO public.app_permissions VALUES (28, 4, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.830022+00', '2026-11-28 14:05:50.830022+00');
INSERT INTO public.app_permissions VALUES (29, 4, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.830161+00', '2026-11-28 14:05:50.830161+00');
INSERT INTO public.app_permissions VALUES (30, 5, 'pay_invoice', 10000, 'monthly', NULL, '2026-11-28 14:05:50.833648+00', '2026-11-28 14:05:50.833648+00');
INSERT INTO public.app_permissions VALUES (31, 5, 'get_balance', 10000, 'monthly', NULL, '2026-11-28 14:05:50.833799+00', '2026-11-28 14:05:50.833799+00');
INSERT INTO public.app_permissions VALUES (32, 5, 'get_info', 10000, 'monthly', NULL, '2026-11-28 14:05:50.833902+00', '2026-11-28 14:05:50.833902+00');
INSERT INTO public.app_permissions VALUES (33, 5, 'make_invoice', 10000, 'monthly', NULL, '2026-11-28 14:05:50.834046+00', '2026-11-28 14:05:50.834046+00');
INSERT INTO public.app_permissions VALUES (34, 5, 'lookup_invoice', 10000, 'monthly', NULL, '2026-11-28 14:05:50.834148+00', '2026-11-28 14:05:50.834148+00');
INSERT INTO public.app_permissions VALUES (35, 5, 'list_transactions', 10000, 'monthly', NULL, '2026-11-28 14:05:50.834294+00', '2026-11-28 14:05:50.834294+00');
INSERT INTO public.app_permissions VALUES (36, 5, 'notifications', 10000, 'monthly', NULL, '2026-11-28 14:05:50.834395+00', '2026-11-28 14:05:50.834395+00');
INSERT INTO public.app_permissions VALUES (37, 6, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.836961+00', '2026-11-28 14:05:50.836961+00');
INSERT INTO public.app_permissions VALUES (38, 6, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.837025+00', '2026-11-28 14:05:50.837025+00');
INSERT INTO public.app_permissions VALUES (39, 6, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.83707+00', '2026-11-28 14:05:50.83707+00');
INSERT INTO public.app_permissions VALUES (40, 6, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.837115+00', '2026-11-28 14:05:50.837115+00');
INSERT INTO public.app_permissions VALUES (41, 7, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.839416+00', '2026-11-28 14:05:50.839416+00');
INSERT INTO public.app_permissions VALUES (42, 7, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.839472+00', '2026-11-28 14:05:50.839472+00');
INSERT INTO public.app_permissions VALUES (43, 7, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.840701+00', '2026-11-28 14:05:50.840701+00');
INSERT INTO public.app_permissions VALUES (44, 7, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.840862+00', '2026-11-28 14:05:50.840862+00');
INSERT INTO public.app_permissions VALUES (45, 7, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.840968+00', '2026-11-28 14:05:50.840968+00');
INSERT INTO public.app_permissions VALUES (46, 7, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.841116+00', '2026-11-28 14:05:50.841116+00');
INSERT INTO public.app_permissions VALUES (47, 7, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.841216+00', '2026-11-28 14:05:50.841216+00');
INSERT INTO public.app_permissions VALUES (48, 8, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.843788+00', '2026-11-28 14:05:50.843788+00');
INSERT INTO public.app_permissions VALUES (49, 8, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.843943+00', '2026-11-28 14:05:50.843943+00');
INSERT INTO public.app_permissions VALUES (50, 8, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.844045+00', '2026-11-28 14:05:50.844045+00');
INSERT INTO public.app_permissions VALUES (51, 8, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.844197+00', '2026-11-28 14:05:50.844197+00');
INSERT INTO public.app_permissions VALUES (52, 8, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.844299+00', '2026-11-28 14:05:50.844299+00');
INSERT INTO public.app_permissions VALUES (53, 8, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.844448+00', '2026-11-28 14:05:50.844448+00');
INSERT INTO public.app_permissions VALUES (54, 8, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.844547+00', '2026-11-28 14:05:50.844547+00');
INSERT INTO public.app_permissions VALUES (55, 9, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.847327+00', '2026-11-28 14:05:50.847327+00');
INSERT INTO public.app_permissions VALUES (56, 9, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.847464+00', '2026-11-28 14:05:50.847464+00');
INSERT INTO public.app_permissions VALUES (57, 9, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.847574+00', '2026-11-28 14:05:50.847574+00');
INSERT INTO public.app_permissions VALUES (58, 9, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.847723+00', '2026-11-28 14:05:50.847723+00');
INSERT INTO public.app_permissions VALUES (59, 9, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.847828+00', '2026-11-28 14:05:50.847828+00');
INSERT INTO public.app_permissions VALUES (60, 9, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.847964+00', '2026-11-28 14:05:50.847964+00');
INSERT INTO public.app_permissions VALUES (61, 9, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.848095+00', '2026-11-28 14:05:50.848095+00');
INSERT INTO public.app_permissions VALUES (69, 11, 'pay_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.855599+00', '2026-11-28 14:05:50.855599+00');
INSERT INTO public.app_permissions VALUES (70, 11, 'get_balance', 0, 'monthly', NULL, '2026-11-28 14:05:50.85577+00', '2026-11-28 14:05:50.85577+00');
INSERT INTO public.app_permissions VALUES (71, 11, 'get_info', 0, 'monthly', NULL, '2026-11-28 14:05:50.855924+00', '2026-11-28 14:05:50.855924+00');
INSERT INTO public.app_permissions VALUES (72, 11, 'make_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.85603+00', '2026-11-28 14:05:50.85603+00');
INSERT INTO public.app_permissions VALUES (73, 11, 'lookup_invoice', 0, 'monthly', NULL, '2026-11-28 14:05:50.856192+00', '2026-11-28 14:05:50.856192+00');
INSERT INTO public.app_permissions VALUES (74, 11, 'list_transactions', 0, 'monthly', NULL, '2026-11-28 14:05:50.856297+00', '2026-11-28 14:05:50.856297+00');
INSERT INTO public.app_permissions VALUES (75, 11, 'notifications', 0, 'monthly', NULL, '2026-11-28 14:05:50.856435+00', '2026-11-28 14:05:50.856435+00');


--
-- Data for Name: apps; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.apps VALUES (1, 'Shop plugin', '', '13e99ff0e86eed8ccfecf175c7b4b97d7e27a3d537139e878edafb84bf7f9d13', '2026-11-28 14:05:50.815319+00', '2026-11-28 14:05:50.877534+00', false, NULL, '7632a078e84a85ba5997d42e56f1ff41082b90efbb79b2fc64d61c90aa1a81ef', NULL, '2026-11-28 14:05:50.877463+00');
INSERT INTO public.apps VALUES (2, 'Alice', '', '571b4cb05868f910304813d1cfa52a476b0d1aac640f60d997db04d2ca552f99', '2026-11-28 14:05:50.820884+00', '2026-11-28 14:05:50.892539+00', true, '{"app_store_app_id":"uncle-jim"}', '5ecf038f3370699965d12410dab7b637f0f10515c0459a5084843b97f0c8293c', NULL, '2026-11-28 14:05:50.892472+00');
INSERT INTO public.apps VALUES (3, 'Bob', '', '7a8af975b7d019b0e7e317752ba006fa1773f59314f94cfca3fd314558a09565', '2026-11-28 14:05:50.825424+00', '2026-11-28 14:05:50.89304+00', true, '{"app_store_app_id":"uncle-jim","lud16":"bob@getalby.com"}', '6a614cffdeab80e15be0156f3251dea04cadacadf8bec2767cdadc74f073a3de', NULL, '2026-11-28 14:05:50.892938+00');
INSERT INTO public.apps VALUES (4, 'Alby Go', '', '524aaf513e7e6c6379386e717f21b9223bda2836cf9cd2354107a2e3ba9f72f3', '2026-11-28 14:05:50.829022+00', '2026-11-28 14:05:50.833059+00', false, NULL, 'aab677d6dceb8c2452774810f6e2de472d510dee096ef112deb2e9a04a6bfaca', NULL, NULL);
INSERT INTO public.apps VALUES (5, 'Child', '', '61249da1b4f249f4314290a7395642208dc675fe30b9ccbcf5e7fcd09f490ae6', '2026-11-28 14:05:50.833409+00', '2026-11-28 14:05:50.886012+00', true, '{"app_store_app_id":"uncle-jim"}', '27743b8f998a6df8424aa964461f74936427b79e59b5f953e708795c3bc07f65', NULL, '2026-11-28 14:05:50.88595+00');
INSERT INTO public.apps VALUES (6, 'Donation box', '', '3139fa44eb609b998468671670aca18535e38b376543e57ab59c72fc1ebef8c2', '2026-11-28 14:05:50.836837+00', '2026-11-28 14:05:50.894149+00', true, NULL, 'd5a109f0a8ab41700a44afce243d34bd68e95034923ee2aba8aa2267d5b799f6', NULL, '2026-11-28 14:05:50.894079+00');
INSERT INTO public.apps VALUES (7, 'Slow payer', '', '62aa6c671d14493e6a8dd57c7ce0be840475c0638713c052f174ed3e83d3789f', '2026-11-28 14:05:50.839332+00', '2026-11-28 14:05:50.873156+00', true, '{"app_store_app_id":"uncle-jim"}', '8aef96cdf68367286370257f31eedfe19e34216d8726ee77e75d59212e090822', NULL, '2026-11-28 14:05:50.873067+00');
INSERT INTO public.apps VALUES (8, 'Hold invoices', '', '1dc08739a86f76b7f8f03f1288ed58de4a0760970b77483091cf21d93e469d06', '2026-11-28 14:05:50.843608+00', '2026-11-28 14:05:50.908803+00', true, NULL, '00f8a1f7a196dd7facbfdafc9454d87d5806fe169e7e6ac566dffdd8c45fa576', NULL, '2026-11-28 14:05:50.908642+00');
INSERT INTO public.apps VALUES (9, 'Empty', '', '5d49588b7e4727b636d645e3444b6b0129bc8b552837ba4cd8463d2d982aed7a', '2026-11-28 14:05:50.847128+00', '2026-11-28 14:05:50.850743+00', true, '{"app_store_app_id":"uncle-jim"}', '0303b147a46d2d3de824f27538c68bb2a55cb48a07b466468157d38e521c6863', NULL, NULL);
INSERT INTO public.apps VALUES (11, 'Late', '', '51489388ec76385046c8faa03bc077b4b08269d1d799235f9e2b2f75f710985a', '2026-11-28 14:05:50.855407+00', '2026-11-28 14:05:50.910935+00', true, '{"app_store_app_id":"uncle-jim"}', '608c0b08f8ad0fe9da955ffa74d85b63636cd1f0b5664e0e3a3e9f6764569ec8', NULL, '2026-11-28 14:05:50.910767+00');


--
-- Data for Name: forwards; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations VALUES ('202401191539_initial_migration');
INSERT INTO public.migrations VALUES ('202403171120_delete_ldk_payments');
INSERT INTO public.migrations VALUES ('202404021909_nullable_expires_at');
INSERT INTO public.migrations VALUES ('_202405302121_store_decrypted_request');
INSERT INTO public.migrations VALUES ('202406061259_remove_content_columns');
INSERT INTO public.migrations VALUES ('202406071726_vacuum');
INSERT INTO public.migrations VALUES ('202406301207_rename_request_methods');
INSERT INTO public.migrations VALUES ('202407012100_transactions');
INSERT INTO public.migrations VALUES ('202407151352_autoincrement');
INSERT INTO public.migrations VALUES ('202407201604_transactions_indexes');
INSERT INTO public.migrations VALUES ('202407262257_remove_invalid_scopes');
INSERT INTO public.migrations VALUES ('202408061737_add_boostagrams_and_use_json');
INSERT INTO public.migrations VALUES ('202408191242_transaction_failure_reason');
INSERT INTO public.migrations VALUES ('202408291715_app_metadata');
INSERT INTO public.migrations VALUES ('202410141503_add_wallet_pubkey');
INSERT INTO public.migrations VALUES ('20241221234500_fix_types');
INSERT INTO public.migrations VALUES ('202504231037_add_indexes');
INSERT INTO public.migrations VALUES ('202505091314_hold_invoices');
INSERT INTO public.migrations VALUES ('202506170342_swaps');
INSERT INTO public.migrations VALUES ('202508041712_delete_non_cascade_deleted_records');
INSERT INTO public.migrations VALUES ('202508041737_postgres_amount_bigint');
INSERT INTO public.migrations VALUES ('202508041738_app_last_used');
INSERT INTO public.migrations VALUES ('202508041739_response_events_index');
INSERT INTO public.migrations VALUES ('202508151405_swap_xpub');
INSERT INTO public.migrations VALUES ('202508192137_forwards');
INSERT INTO public.migrations VALUES ('202509031250_transactions_updated_at_index');
INSERT INTO public.migrations VALUES ('202604081200_app_last_settled_transaction');


--
-- Data for Name: request_events; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: response_events; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: swaps; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: transactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.transactions VALUES (1, NULL, NULL, 'incoming', 'SETTLED', 'lnbcrt9m1p4s4ha7pp5ur5vc3gxzp673rl3g0wa8gqp4cd68cazu0tepc52a33xyqwzwwnsdpqv3jhqmmnd96zqmmxyp6xsefqdamkuetjcqzzsxqyz5vqsp5q3xd7xaz2hah3ejpnu2xcg3xtur7g3ndz52lktsxykw06uuayv3s9qrsgql7vdys0ly0w449d0n6024x5sjyss5zmgvvvdmmnlw6qrpdfzz9q3qmawu33rght254cdjqcmlje5hrzn4qg23j62dszhjuau7n5tp5cpgquxft', 'f4edc318ad067a686176d19c92b558d716ae6b151317419efd9e3471943381f7', 'e0e8cc45061075e88ff143ddd3a001ae1ba3e3a2e3d790e28aec626201c273a7', 'deposit of the owner', '', 900000000, 0, 0, '2026-11-28 14:05:50.866894+00', '2026-11-28 14:05:50.867342+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.867324+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (2, 2, NULL, 'incoming', 'SETTLED', 'lnbcrt1m1p4s4ha7pp5urx9zx30j4wrrwg8j4dt2xh5rm804yg687dkul87ll905mnefs8qdq6v3jhqmmnd96zqmmxypqkc6trv5cqzzsxqyz5vqsp59aruvu2cet8qjhttp5rge6cuur2y8wqvkea8dr2xx4r8fw8zm3qs9qrsgqsnddzkxfslx83n83ajgjmmkzse7mp6g8l4sypvf50xjtd4wj74usn2thskt4ffd3fkafzkc03avvgm6ww9e9jf3dp52s6zlwna3vrecqkhn80n', '78198d286665515b4ae806318a9f317bb1fade5665643c3e259cc9ada3b0c686', 'e0cc511a2f955c31b907955ab51af41ecefa911a3f9b6e7cfeffcafa6e794c0e', 'deposit of Alice', '', 100000000, 0, 0, '2026-11-28 14:05:50.86758+00', '2026-11-28 14:05:50.867854+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.867834+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (3, 3, NULL, 'incoming', 'SETTLED', 'lnbcrt500u1p4s4ha7pp5tfjw6tdhwwywq284vftf4wj7gtdfg4phlqk2a69ngtqvtxrkwhfsdqdw3exzmnnvejhycqzzsxqyz5vqsp5kxh7eahr9azns908u7zp50204gmsegfz45uvxkaa6n97tkf3rseq9qrsgqcg39c4p9374frt8sqgheuqhax6l4esql2e4pv6jsvpw2vxpfd2ejf8xs8m6dpxq7q0jzu6nxenafkmtrrmrvq294ulr67mv9vh3v46cqlrz7ge', 'fb18f888ddfacb4748725f0dd61f2c8dd4ac88e7077962e46f017e0b3a73862e', '5a64ed2db77388e028f562569aba5e42da945437f82caee8b342c0c5987675d3', 'transfer', '', 50000000, 0, 0, '2026-11-28 14:05:50.868402+00', '2026-11-28 14:05:50.869873+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.869852+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (4, NULL, NULL, 'outgoing', 'SETTLED', 'lnbcrt500u1p4s4ha7pp5tfjw6tdhwwywq284vftf4wj7gtdfg4phlqk2a69ngtqvtxrkwhfsdqdw3exzmnnvejhycqzzsxqyz5vqsp5kxh7eahr9azns908u7zp50204gmsegfz45uvxkaa6n97tkf3rseq9qrsgqcg39c4p9374frt8sqgheuqhax6l4esql2e4pv6jsvpw2vxpfd2ejf8xs8m6dpxq7q0jzu6nxenafkmtrrmrvq294ulr67mv9vh3v46cqlrz7ge', 'fb18f888ddfacb4748725f0dd61f2c8dd4ac88e7077962e46f017e0b3a73862e', '5a64ed2db77388e028f562569aba5e42da945437f82caee8b342c0c5987675d3', 'transfer', '', 50000000, 0, 0, '2026-11-28 14:05:50.868905+00', '2026-11-28 14:05:50.870114+00', '2026-11-29 14:05:50.868898+00', '2026-11-28 14:05:50.870098+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (5, 5, NULL, 'incoming', 'SETTLED', 'lnbcrt200u1p4s4ha7pp56su2qxfsgk2tg0xgk5w79g0lfwr7fzm0qrkr2jxuz68ug36ydf9qdqdw3exzmnnvejhycqzzsxqyz5vqsp5782qr2dmqrxtx3jcd84axgg4sfdfqayzuw6qkykjl9arkx4zpksq9qrsgqetqt2nlw54d950gn9rwefc4dy7ewlueupe3hvw57v8snp3932ry9dwfjswx4dcdzr883ue6sjg7f2v7sqpshdfkj0pdjxmmz5f57f8cpd294h3', '6038bf96aa3dcd67b2b575d8e1ab6043c0d39301ae94e5e3aab16fbce22ee7d6', 'd438a019304594b43cc8b51de2a1ff4b87e48b6f00ec3548dc168fc447446a4a', 'transfer', '', 20000000, 0, 0, '2026-11-28 14:05:50.870327+00', '2026-11-28 14:05:50.871057+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.871045+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (6, NULL, NULL, 'outgoing', 'SETTLED', 'lnbcrt200u1p4s4ha7pp56su2qxfsgk2tg0xgk5w79g0lfwr7fzm0qrkr2jxuz68ug36ydf9qdqdw3exzmnnvejhycqzzsxqyz5vqsp5782qr2dmqrxtx3jcd84axgg4sfdfqayzuw6qkykjl9arkx4zpksq9qrsgqetqt2nlw54d950gn9rwefc4dy7ewlueupe3hvw57v8snp3932ry9dwfjswx4dcdzr883ue6sjg7f2v7sqpshdfkj0pdjxmmz5f57f8cpd294h3', '6038bf96aa3dcd67b2b575d8e1ab6043c0d39301ae94e5e3aab16fbce22ee7d6', 'd438a019304594b43cc8b51de2a1ff4b87e48b6f00ec3548dc168fc447446a4a', 'transfer', '', 20000000, 0, 0, '2026-11-28 14:05:50.870811+00', '2026-11-28 14:05:50.871267+00', '2026-11-29 14:05:50.870801+00', '2026-11-28 14:05:50.871256+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (7, 7, NULL, 'incoming', 'SETTLED', 'lnbcrt90u1p4s4ha7pp5t25c9z4rawmr2t58wlzjq3lhwfl4yqw6dksya0yyyt060qpq9u0sdqdw3exzmnnvejhycqzzsxqyz5vqsp5w9cmhcj7mxgschydhlyet8z935teztsv65n63gg4nldenctkyraq9qrsgq2pmz0va0v0ez3ye8j0c60pfyc2rv9kunxzwj9vqq4hcd9w3lrlwy3uw7eyp88hkrxfq06r556ksp48uyhzdlk64c046ujlhlpkvzfqqpxgjfes', '808d36b7b7b456b7b7949e260168dc779c9c3197c416481c1a1a338bf6c3af0e', '5aa9828aa3ebb6352e8777c52047f7727f5201da6da04ebc8422dfa780202f1f', 'transfer', '', 9000000, 0, 0, '2026-11-28 14:05:50.871476+00', '2026-11-28 14:05:50.873081+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.873067+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (8, NULL, NULL, 'outgoing', 'SETTLED', 'lnbcrt90u1p4s4ha7pp5t25c9z4rawmr2t58wlzjq3lhwfl4yqw6dksya0yyyt060qpq9u0sdqdw3exzmnnvejhycqzzsxqyz5vqsp5w9cmhcj7mxgschydhlyet8z935teztsv65n63gg4nldenctkyraq9qrsgq2pmz0va0v0ez3ye8j0c60pfyc2rv9kunxzwj9vqq4hcd9w3lrlwy3uw7eyp88hkrxfq06r556ksp48uyhzdlk64c046ujlhlpkvzfqqpxgjfes', '808d36b7b7b456b7b7949e260168dc779c9c3197c416481c1a1a338bf6c3af0e', '5aa9828aa3ebb6352e8777c52047f7727f5201da6da04ebc8422dfa780202f1f', 'transfer', '', 9000000, 0, 0, '2026-11-28 14:05:50.871968+00', '2026-11-28 14:05:50.873299+00', '2026-11-29 14:05:50.87196+00', '2026-11-28 14:05:50.87329+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (9, 10, NULL, 'incoming', 'SETTLED', 'lnbcrt50u1p4s4ha7pp5y9jjr66xrd95sjzwv0p3ztevz9r4mrhlw5kx8c2n6walqfsad74qdqdw3exzmnnvejhycqzzsxqyz5vqsp5x05ydf6w20jczkf7fyjew4ynartvkphv8rxq64xjpx7kyn58cmys9qrsgqsv207g95vhx5w95j6s92jxvdemds8vlgmyvsy7yzgu7mtryfpme96k4a4g3c5jqkdw6klhefvhdz7w67w55dt2ys40vjmw4pct0uwfqpaqr2xv', 'd70923180087201c8d9707a882af1f772f65e5ffb9de1fddb778d6952cb1ce55', '216521eb461b4b48484e63c3112f2c11475d8eff752c63e153d3bbf0261d6faa', 'transfer', '', 5000000, 0, 0, '2026-11-28 14:05:50.874755+00', '2026-11-28 14:05:50.875463+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.875452+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (10, NULL, NULL, 'outgoing', 'SETTLED', 'lnbcrt50u1p4s4ha7pp5y9jjr66xrd95sjzwv0p3ztevz9r4mrhlw5kx8c2n6walqfsad74qdqdw3exzmnnvejhycqzzsxqyz5vqsp5x05ydf6w20jczkf7fyjew4ynartvkphv8rxq64xjpx7kyn58cmys9qrsgqsv207g95vhx5w95j6s92jxvdemds8vlgmyvsy7yzgu7mtryfpme96k4a4g3c5jqkdw6klhefvhdz7w67w55dt2ys40vjmw4pct0uwfqpaqr2xv', 'd70923180087201c8d9707a882af1f772f65e5ffb9de1fddb778d6952cb1ce55', '216521eb461b4b48484e63c3112f2c11475d8eff752c63e153d3bbf0261d6faa', 'transfer', '', 5000000, 0, 0, '2026-11-28 14:05:50.875229+00', '2026-11-28 14:05:50.875651+00', '2026-11-29 14:05:50.875223+00', '2026-11-28 14:05:50.875644+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (11, 1, NULL, 'incoming', 'SETTLED', 'lnbcrt30u1p4s4ha7pp5fsnq98sjckfr6suhehmxewr68gfsfl4p63qmrky964aqkdmg9jvsdqdv9hzqmmjv3jhycqzzsxqyz5vqsp5zvtznkegn5qw9n7vrh2y2syt6uts8f9vv6jd8w9y9jh982fzdddq9qrsgq40awyxcge6t2a46y49ch9shl9ga6rheeq90d76uc8gz6dt2czrwhhd3kmhcj48caqqz2h0r3u5zuwcf5tue8tgcsxh9luutrws4efqqpc7hf48', '26bcdd36e4ba12e69c9b59638e9e2865955e4c07ed4d05db901192d922b566e6', '4c26029e12c5923d4397cdf66cb87a3a1304fea1d441b1d885d57a0b37682c99', 'an order', '', 3000000, 0, 0, '2026-11-28 14:05:50.875839+00', '2026-11-28 14:05:50.876344+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.876326+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (12, 1, NULL, 'outgoing', 'SETTLED', 'lnbcrt10u1p4s4ha7pp5cak09ckl5tv67kyfm2x48ndk6stxp5lytg4zuz8t35jyzvu5rycsdqsvys8xatswpkxjetjcqzzsxqrrsssp5u7935glayxmhk3g2hd0jh55qhxr2clnk2rs9m6dful5dzuuv03gq9qrsgqczk7hyjnu7rrc9mhgrjhsz3vsyfvjaqvs9vk0s04f70dfvnkdmur0qjrjj927uqvvanae3qrlan3w2s3r8f5yu0hkz3490zfj77r25spp247ry', '16d0c25ca43d3b9ff3670d4c248f4f4970431025e1ac3c3457f79bcad090fcf9', 'c76cf2e2dfa2d9af5889da8d53cdb6d41660d3e45a2a2e08eb8d244133941931', 'a supplier', '', 1000000, 2000, 0, '2026-11-28 14:05:50.877275+00', '2026-11-28 14:05:50.877472+00', '2026-11-28 15:05:50.877265+00', '2026-11-28 14:05:50.877463+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (13, NULL, NULL, 'outgoing', 'SETTLED', 'lnbcrt20u1p4s4ha7pp5dtn65dg9uk3mlm7cax4rgyn7dqu79et3cu4t8lkwl8sq4e6tu54sdqhw35x2gr0wahx2u3qwpshjuccqzzsxqrrsssp5kv86drxtw6w8azh5g0v6pajddm5vq9dt39knfw6pc5456vrmuuys9qrsgqff9el50x43e3aqkqdqkp0cychu2alnyh66v045p3u9wys2sfqdtshge53ugrvxpnsczjlkhmp6fqjqzpug7y8hzjzwftvsnaele2kvsqgnutda', '81ff981c501affba94ffd12f104d998085763288a29dc434ae424ba11c15f50a', '6ae7aa3505e5a3bfefd8e9aa34127e6839e2e571c72ab3fecef9e00ae74be52b', 'the owner pays', '', 2000000, 2000, 0, '2026-11-28 14:05:50.878071+00', '2026-11-28 14:05:50.878254+00', '2026-11-28 15:05:50.878065+00', '2026-11-28 14:05:50.878244+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (14, 2, NULL, 'outgoing', 'SETTLED', 'lnbcrt10005n1p4s4ha7pp54lwe0m4prwutxydx3tm49wyf9mxjsmkq6euwzfknjv26jgvnxfgqdpgwa5hg6pqvysxvet9ypskuepqvysxvunpvd6xjmmwcqzzsxqrrsssp5965kqdp9javt54vxrmxc4zkv4kcmezsv2mrtzkqd8ghw72uj7ezq9qrsgqnxqr6ne6sdqxd0q7eldms0y7plwly6c9hal7wuu9ksqztkq55t8sncv4m0s6vz9stlhx2a34w2s0pq3p2zx9zqdgc09jgjkcgfemm2qq5u42v3', '527e4234246ba8342b33d683913f328f3b9018b286f30ebc1bd1fb640859dd61', 'afdd97eea11bb8b311a68af752b8892ecd286ec0d678e126d39315a921933250', 'with a fee and a fraction', '', 1000500, 1234, 0, '2026-11-28 14:05:50.878891+00', '2026-11-28 14:05:50.87908+00', '2026-11-28 15:05:50.878884+00', '2026-11-28 14:05:50.879069+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (15, 2, NULL, 'outgoing', 'SETTLED', 'lnbcrt1p4s4ha7pp5jwm04zkml57qjqn0h640hrw6lwwddpdanf770yq06gne5922zspsdquwa5hg6r0w46zqctwypsk6mm4de6qcqzzsxqrrsssp58k3j8fll4whx0qade57lmsql3zuh94aauy2x0pycczsjuqzkhy5q9qrsgq3yxqa89jnckca4h87p3jdhzzkq47e3dfstpfh89dx2fzwyv86n33mdjjahmaazrw8j2ps35082exn2c7wqd4vvc7vgav6l4w9erpn9sqt2ksvr', '33b02ddc96f943bae6f29fcb40824f4fc38f7740d01153e07b7b7640905ee29c', '93b6fa8adbfd3c09026fbeaafb8ddafb9cd685bd9a7de7900fd2279a154a1403', 'without an amount', '', 77777, 0, 0, '2026-11-28 14:05:50.879712+00', '2026-11-28 14:05:50.879893+00', '2026-11-28 15:05:50.879705+00', '2026-11-28 14:05:50.879882+00', false, NULL, '{"comment":"thanks"}', '', false, NULL);
INSERT INTO public.transactions VALUES (16, 2, NULL, 'outgoing', 'FAILED', 'lnbcrt50u1p4s4ha7pp5e5dztte58se3nnnqmk3mpqvk0tjh3cah5hsac8ywrepa7mtcsvvqdqjveskjmrnypnxjunnwscqzzsxqrrsssp5cyxfqn723cpqp4ss26c4gqnu9sw485645y45gpuh0t0k0znk2x9s9qrsgqdq8wuvtu32kxjqvk34ppu4qma98g9xn5ajp6jpmnl7ksrxuwffmyj78dtjpk434q0djd3czls9cxjese9qsannt78tzl342jwxa45sgpm2h7un', NULL, 'cd1a25af343c3319ce60dda3b081967ae578e3b7a5e1dc1c8e1e43df6d788318', 'fails first', '', 5000000, 0, 0, '2026-11-28 14:05:50.880609+00', '2026-11-28 14:05:50.880832+00', '2026-11-28 15:05:50.880602+00', NULL, false, NULL, NULL, 'no route', false, NULL);
INSERT INTO public.transactions VALUES (17, 2, NULL, 'outgoing', 'SETTLED', 'lnbcrt50u1p4s4ha7pp5e5dztte58se3nnnqmk3mpqvk0tjh3cah5hsac8ywrepa7mtcsvvqdqjveskjmrnypnxjunnwscqzzsxqrrsssp5cyxfqn723cpqp4ss26c4gqnu9sw485645y45gpuh0t0k0znk2x9s9qrsgqdq8wuvtu32kxjqvk34ppu4qma98g9xn5ajp6jpmnl7ksrxuwffmyj78dtjpk434q0djd3czls9cxjese9qsannt78tzl342jwxa45sgpm2h7un', 'e1b5bf54f18ad84c4b5495a301e1f659efe351af95515ab071abcbaeb407897c', 'cd1a25af343c3319ce60dda3b081967ae578e3b7a5e1dc1c8e1e43df6d788318', 'fails first', '', 5000000, 3000, 0, '2026-11-28 14:05:50.881291+00', '2026-11-28 14:05:50.88147+00', '2026-11-28 15:05:50.881284+00', '2026-11-28 14:05:50.881461+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (18, 2, NULL, 'outgoing', 'FAILED', 'lnbcrt60u1p4s4ha7pp5d5nsncjeguvgu49vt47tjq50g84z8cfcs2q8ktnhnrxqyssrp7msdq5v9k8wctewvsxvctfd3escqzzsxqrrsssp5k0njjrzqrsvy995962hx0ddvgjuzs0trkg098dktzef9pjhev7nq9qrsgq9unzry0gxdg7fe5xe07nj4m6d93vz984lk67neju8gm33repxfmpktqsl809xl0guga7e5rnu68ed26q60je6tq7eq2ue4e5md954dsqwgl704', NULL, '6d2709e25947188e54ac5d7cb9028f41ea23e13882807b2e7798cc0242030fb7', 'always fails', '', 6000000, 0, 0, '2026-11-28 14:05:50.882093+00', '2026-11-28 14:05:50.882283+00', '2026-11-28 15:05:50.882087+00', NULL, false, NULL, NULL, 'FAILURE_REASON_TIMEOUT', false, NULL);
INSERT INTO public.transactions VALUES (19, 3, NULL, 'incoming', 'SETTLED', 'lnbcrt25u1p4s4ha7pp52e2jjjx0mxwc0wzxnlu32gcrmy0te9wzm8n3vpdrhqau8ga5eacsdqjw3mk7grrdanxvet9wvcqzzsxqyz5vqsp578nl2a3gy693tcq4ymjnazyk77lq6r34w55dkztj56e2jjlfc0jq9qrsgqzepadxvdma5vxjhz0avyhkmhwljymj0cgqzz8fu7exaxs5t35sfqxj3vw79097kjhatpw3a8cns3ndvzqpjqplglkpne5xay85nnzgqq7larye', 'c3b7eb1b9103e03acff074337d031e6f9de15a99307ed6e56c4c24449bcc82d9', '56552948cfd99d87b8469ff9152303d91ebc95c2d9e71605a3b83bc3a3b4cf71', 'two coffees', '', 2500000, 0, 0, '2026-11-28 14:05:50.882472+00', '2026-11-28 14:05:50.883289+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.883278+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (20, 2, NULL, 'outgoing', 'SETTLED', 'lnbcrt25u1p4s4ha7pp52e2jjjx0mxwc0wzxnlu32gcrmy0te9wzm8n3vpdrhqau8ga5eacsdqjw3mk7grrdanxvet9wvcqzzsxqyz5vqsp578nl2a3gy693tcq4ymjnazyk77lq6r34w55dkztj56e2jjlfc0jq9qrsgqzepadxvdma5vxjhz0avyhkmhwljymj0cgqzz8fu7exaxs5t35sfqxj3vw79097kjhatpw3a8cns3ndvzqpjqplglkpne5xay85nnzgqq7larye', 'c3b7eb1b9103e03acff074337d031e6f9de15a99307ed6e56c4c24449bcc82d9', '56552948cfd99d87b8469ff9152303d91ebc95c2d9e71605a3b83bc3a3b4cf71', 'two coffees', '', 2500000, 0, 0, '2026-11-28 14:05:50.883054+00', '2026-11-28 14:05:50.883531+00', '2026-11-29 14:05:50.883047+00', '2026-11-28 14:05:50.883516+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (21, NULL, NULL, 'incoming', 'SETTLED', 'lnbcrt10u1p4s4ha7pp5mxs443znnnx8lj4htzmxmcdgmpfvqawclml9qt0cwg88xj6yreusdquvfskx6eqw3hjqargv5sx7amwv4eqcqzzsxqyz5vqsp500pyx3krkwgl99a3kesn3mrlhxtfhvgvfw6tu9djlamh0pn6gays9qrsgqxt6x2wqp22yzwn2ed5utnddd3w4xstanwktpvcmrzmt2c5qacc7yglvnaces8w85lpth8sg6w0zrc5rl56s9pg7sha00mjae7lp69cspk6scy5', 'dc85a906defe1b5f690f74e7c83caced273793aeba9ebb9a16e65fe5bb70a5c1', 'd9a15ac4539ccc7fcab758b66de1a8d852c075d8fefe502df8720e734b441e79', 'back to the owner', '', 1000000, 0, 0, '2026-11-28 14:05:50.883793+00', '2026-11-28 14:05:50.884612+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.884602+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (22, 3, NULL, 'outgoing', 'SETTLED', 'lnbcrt10u1p4s4ha7pp5mxs443znnnx8lj4htzmxmcdgmpfvqawclml9qt0cwg88xj6yreusdquvfskx6eqw3hjqargv5sx7amwv4eqcqzzsxqyz5vqsp500pyx3krkwgl99a3kesn3mrlhxtfhvgvfw6tu9djlamh0pn6gays9qrsgqxt6x2wqp22yzwn2ed5utnddd3w4xstanwktpvcmrzmt2c5qacc7yglvnaces8w85lpth8sg6w0zrc5rl56s9pg7sha00mjae7lp69cspk6scy5', 'dc85a906defe1b5f690f74e7c83caced273793aeba9ebb9a16e65fe5bb70a5c1', 'd9a15ac4539ccc7fcab758b66de1a8d852c075d8fefe502df8720e734b441e79', 'back to the owner', '', 1000000, 0, 0, '2026-11-28 14:05:50.884376+00', '2026-11-28 14:05:50.884744+00', '2026-11-29 14:05:50.884369+00', '2026-11-28 14:05:50.884737+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (23, 2, NULL, 'incoming', 'SETTLED', 'lnbcrt2500n1p4s4ha7pp53tzzd3mpnxe69ygwp70p3uxvk8scfyfstxu6p9vnj4vzm07kh77qdqqcqzzsxqyz5vqsp5z92zqd5qd7ff2slycrjvdw0j2na9xjzu836pv4v8wl2kj7nxzjhq9qrsgq8utpffew44gwmwphqak4rfzh3uxjexeg4ernt5nc3ljvffa49ely8p5y5n97puk0dpyru0y37vg8cr2vwn3hwtd4delwynf35a6jhmspm6lumj', 'fb4f234822f6202e7ee8be669f2d9eb03c3e4bf300a4482ce0eaffef3e250f02', '8ac426c76199b3a2910e0f9e18f0ccb1e184913059b9a0959395582dbfd6bfbc', '', '', 250000, 0, 0, '2026-11-28 14:05:50.884988+00', '2026-11-28 14:05:50.885759+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.885749+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (24, 5, NULL, 'outgoing', 'SETTLED', 'lnbcrt2500n1p4s4ha7pp53tzzd3mpnxe69ygwp70p3uxvk8scfyfstxu6p9vnj4vzm07kh77qdqqcqzzsxqyz5vqsp5z92zqd5qd7ff2slycrjvdw0j2na9xjzu836pv4v8wl2kj7nxzjhq9qrsgq8utpffew44gwmwphqak4rfzh3uxjexeg4ernt5nc3ljvffa49ely8p5y5n97puk0dpyru0y37vg8cr2vwn3hwtd4delwynf35a6jhmspm6lumj', 'fb4f234822f6202e7ee8be669f2d9eb03c3e4bf300a4482ce0eaffef3e250f02', '8ac426c76199b3a2910e0f9e18f0ccb1e184913059b9a0959395582dbfd6bfbc', '', '', 250000, 0, 0, '2026-11-28 14:05:50.885537+00', '2026-11-28 14:05:50.885958+00', '2026-11-29 14:05:50.885531+00', '2026-11-28 14:05:50.88595+00', true, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (25, 2, NULL, 'outgoing', 'SETTLED', '', 'aa2c0818bb39d4f2ff761e6c78347988f0ed9c77d3393238faee605adb402ec2', 'fa50e3d3bf92543c0c319fd544b1e6c9d52c5ab7dfeccd8d5fa68cbc6755ef82', '', '', 123000, 500, 0, '2026-11-28 14:05:50.886518+00', '2026-11-28 14:05:50.886702+00', NULL, '2026-11-28 14:05:50.886693+00', false, NULL, '{"destination":"02f5beee7e4be1fb74ffab97c848907eb838c270814824539b7cc1ce1766a245d6","tlv_records":null}', '', false, NULL);
INSERT INTO public.transactions VALUES (26, 2, NULL, 'outgoing', 'SETTLED', '', '9117cdc60cc7a8a9642bc1602a9088f8e7d221c7addaeb50e99d861f6ab1dca8', '2c8a4182be188a1496a0d4a9ff22a10e7a6826ac3e482e7fb4419d3b4ac44805', '', '', 60000, 0, 0, '2026-11-28 14:05:50.891026+00', '2026-11-28 14:05:50.892481+00', NULL, '2026-11-28 14:05:50.892472+00', true, NULL, '{"destination":"0369e08c4bb8efa0020b810879adee5633ad9c8df151ea5a574e13620da98bf928","tlv_records":[{"type":696969,"value":"33"}]}', '', false, NULL);
INSERT INTO public.transactions VALUES (27, 3, NULL, 'incoming', 'SETTLED', '', '9117cdc60cc7a8a9642bc1602a9088f8e7d221c7addaeb50e99d861f6ab1dca8', '2c8a4182be188a1496a0d4a9ff22a10e7a6826ac3e482e7fb4419d3b4ac44805', '', '', 60000, 0, 0, '2026-11-28 14:05:50.891706+00', '2026-11-28 14:05:50.892239+00', NULL, '2026-11-28 14:05:50.892211+00', true, NULL, '{"destination":"0369e08c4bb8efa0020b810879adee5633ad9c8df151ea5a574e13620da98bf928","tlv_records":[{"type":696969,"value":"33"}]}', '', false, NULL);
INSERT INTO public.transactions VALUES (28, 3, NULL, 'incoming', 'SETTLED', '', 'e701e85d57185b35d22698fd7e132ea100a0317f3e500f6fbfd1514250c70698', '39126e108eaa829c6560c891e5d33dcbf7e742aecfe828c9b30059383b1eb9dc', '', '', 42000, 0, 0, '2026-11-28 14:05:50.892944+00', '2026-11-28 14:05:50.892944+00', NULL, '2026-11-28 14:05:50.892938+00', false, NULL, '{"tlv_records":[{"type":696969,"value":"33"}]}', '', false, NULL);
INSERT INTO public.transactions VALUES (29, 6, NULL, 'incoming', 'SETTLED', 'lnbcrt40u1p4s4ha7pp5q5j8vksj8629uvy8c7ux4fde9wngtvaqnr8nhknfpf97a652s4eqdpywa5hg6pqvysxvet9yphkvgr5dpjjqmn0v3jscqzzsxqyz5vqsp5l5eszq7gjqacyp80ea77gh9l5xm06u4amrtv9y2kk8j4ravwkgss9qrsgqrj8fx7k02gyj3mdzneuuthdzgf99h3p4l4gmuv0n73wdv9udmlk33x48ttsytkz5a0kvt6rklhm7zx7nk9t0psukavxesc8kskhagmgqd57n9s', 'b56ab32693343625cb36c056748c59822b6d2a6828b87fb4ec11f1c76a18a04f', '0524765a123e945e3087c7b86aa5b92ba685b3a098cf3bda690a4beeea8a8572', 'with a fee of the node', '', 4000000, 16000, 0, '2026-11-28 14:05:50.893292+00', '2026-11-28 14:05:50.893613+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.893602+00', false, NULL, '{"payer_data":{"name":"Zoë"}}', '', false, NULL);
INSERT INTO public.transactions VALUES (30, 6, NULL, 'incoming', 'SETTLED', 'lnbcrt210n1p4s4ha7pp5jvudxesce9dyhyqezvj6ue9va98lr8jmjnh2d8zqcq26mwh5k4wqdqsvysxgmmwv96xjmmwcqzzsxqyz5vqsp5fce2twrgnfgfprg0tqyazpasectane0vlaft5ydyckan45rpxyks9qrsgq6prqpmu66wh0ls65k5n778l5jxzy5609dg6knek3uu7wl7ljq8pk5qhv64x4w3s9xrq2hxukgqdg96m3svl4ger6m5w6sc3xn35dp8sqqz06aj', '0391814f678b1aa8c0e5264378515f172e9536be2a4127e44b4394be54de77c4', '9338d36618c95a4b90191325ae64ace94ff19e5b94eea69c40c015adbaf4b55c', 'a donation', '', 21000, 0, 0, '2026-11-28 14:05:50.89387+00', '2026-11-28 14:05:50.894089+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.894079+00', false, NULL, '{"user_labels":{"kind":"gift"}}', '', false, NULL);
INSERT INTO public.transactions VALUES (31, 3, NULL, 'incoming', 'PENDING', 'lnbcrt12340n1p4s4ha7pp5ne5adqap4ffgjunkpdem54qjany6slepcpm009ecaf0xuq5kamtqdq5dacx2m3qd9h8vmmfvdjscqzzsxqxjespsqsp58hwfcz5naym5gp7xm4v266lw3u2u0njgcy9zhz3r9g6qntztwpaq9qrsgqw3dqxnfcv27899qlsu225k8vswkh6qxdyxwjtkvqlmgxpjkt3rdk8xmffgqkuu2h6mum3x4nngzvvvjukemgwxtcs3c0444p5g0343cq5wa7jw', '008c8d206b826189ec2d4465a19133c7b0ca2ac4e057f647e96636e037b5d234', '9e69d683a1aa528972760b73ba5412ecc9a87f21c076f79738ea5e6e0296eed6', 'open invoice', '', 1234000, 0, 0, '2026-11-28 14:05:50.894448+00', '2026-11-28 14:05:50.894448+00', '2046-11-23 14:05:50+00', NULL, false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (32, 3, NULL, 'incoming', 'PENDING', 'lnbcrt550n1p4s4ha7pp589jmqmnxy704tep8d5dnh3mznpgmr7q5egsya2ratj9lmtjc5s3qhp59nftcqhw5tfxfpte9c9pks7r5mhxpqml586l3zdfnhlgm0jsazlscqzzsxqxjespsqsp534yq07nlt5e22qtlurx7tct2htl8ak7lm6m7n58hjr86hlcxrc8q9qrsgq2u2jqa2j5g5686fy4gw99rzrcdf9twgu48susmc9e9xf8vstdmlr5ucqt8w6wgq0j64h3vnaj66pcs9pu0ckph48tp4w7dkl6jslj4cqvyn8xg', '55c1f1bc2151ecb0c92e6396796e578420f2aafa4a2f9e76b626e343f76b66ee', '3965b06e66279f55e4276d1b3bc7629851b1f814ca204ea87d5c8bfdae58a422', '', '2cd2bc02eea2d26485792e0a1b43c3a6ee60837fa1f5f889a99dfe8dbe50e8bf', 55000, 0, 0, '2026-11-28 14:05:50.905625+00', '2026-11-28 14:05:50.905625+00', '2046-11-23 14:05:50+00', NULL, false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (33, 3, NULL, 'incoming', 'PENDING', 'lnbcrt990n1p4s4ha7pp5y5e4pgqysztqcvzdm6udstfn4cvnsae0jgj2j8tf90wljatckm0qdqcv4u8q6tjv4ejqct5yphkucm9cqzzsxqppsp5z86fl0qghkjxdynrvdhnalpe3njdet7kvtjx24n8usucfnj5qg6q9qrsgqkcmf9ap09udtdfdr2ct4w3flpq655vfn7mpr0f9rxcpnkwq9uc85h3lzn8ytqtm04m4et3jhtey7x8wug7kun0jxp25sxxn7he9cnkgqtcd8ws', '7d0aae7faec2ad30fbb6770fd5887639296a28f905d33013c9e22eb4c3d1211f', '253350a00480960c304ddeb8d82d33ae1938772f9224a91d692bddf97578b6de', 'expires at once', '', 99000, 0, 0, '2026-11-28 14:05:50.90723+00', '2026-11-28 14:05:50.90723+00', '2026-11-28 14:05:51+00', NULL, false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (34, NULL, NULL, 'incoming', 'PENDING', 'lnbcrt660n1p4s4ha7pp5rqjdflvmh3mkatwnwjax5l9uulaqfter9n77jav4xp6h8x3pylhqdq5danzqargv5sx7amwv4eqcqzzsxqxjespsqsp5qkpgfzdgn0ez5zu6snh4tv9njhe4vm4u6447autc0cx9ca5ecg6s9qrsgql6rfhw6epveyh890ljwm2wtn9ycnkc4ymf3drh60u8e9zuqpgsdh29vpd5jgzgw98g2tq5jp9wc2qrrrv4el8m4zttfz5r85pzhh08sp45jtdh', '805632be539b40b3660b4e1ff547633a0c2aa225a57a4aabd2492c635e66e6ee', '1824d4fd9bbc776eadd374ba6a7cbce7fa04af232cfde975953075739a2127ee', 'of the owner', '', 66000, 0, 0, '2026-11-28 14:05:50.907614+00', '2026-11-28 14:05:50.907614+00', '2046-11-23 14:05:50+00', NULL, false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (35, 8, NULL, 'incoming', 'SETTLED', 'lnbcrt7u1p4s4ha7pp5m2uh5s4w8mkayf39gqkrqpklf7szf5k6x2f256k40kur6mn36emsdpqwdjhgarvv4jzq6r0d3jzq6twwehkjcm9cqzzsxqxjespsqsp5qudr6ff5kz7plmkxg026j95p9sq4uvxewtjqwc99d9xdk5e0p8zs9qrsgquzl5qxd5gdnngvg8hwfe8fqtmd22zqw80cgny9mayraqrvrsejxz88aycypar7qahwz9ealfz8edpv328mkj7hwqc6w5lmvyav7almgps8cc84', '0c98aae3d0dfffffa11fa9567b32dc0ded841000ac4bf618d7a2c953446b2934', 'dab97a42ae3eedd22625402c3006df4fa024d2da3292aa6ad57db83d6e71d677', 'settled hold invoice', '', 700000, 0, 0, '2026-11-28 14:05:50.907925+00', '2026-11-28 14:05:50.908656+00', '2046-11-23 14:05:50+00', '2026-11-28 14:05:50.908642+00', false, NULL, NULL, '', true, 600);
INSERT INTO public.transactions VALUES (36, 8, NULL, 'incoming', 'FAILED', 'lnbcrt7u1p4s4ha7pp5wcehnxk0czmfyxj6qjuyjjgcpr3332rpmjwcmn2kgv3lg4humu2qdpzvdskucm9d3jkggrgdakxggrfdemx76trv5cqzzsxqxjespsqsp5a9l7rt2anc0lnu5tj9l8ckm8cts2xuxk735ky4wuky4t70f3kmdq9qrsgqn5a8a8k7528p3hpf677rxj9sv0x6ku3un6uws3f387unw8xjc85qzp5cwg0w2yp6tyxvcg7mqsqw9rms8ly98cgjqqgn08ea9j5ptwqp6sej7g', NULL, '7633799acfc0b6921a5a04b849491808e318a861dc9d8dcd564323f456fcdf14', 'canceled hold invoice', '', 700000, 0, 0, '2026-11-28 14:05:50.90906+00', '2026-11-28 14:05:50.909805+00', '2046-11-23 14:05:50+00', NULL, false, NULL, NULL, 'Hold invoice was cancelled', true, 600);
INSERT INTO public.transactions VALUES (37, 8, NULL, 'incoming', 'PENDING', 'lnbcrt7u1p4s4ha7pp5crv0f9al948n39lm46u00pn3ga969w4cnun5332dphezgxpretysdqudacx2m3qdphkcepqd9h8vmmfvdjscqzzsxqxjespsqsp5j48c9t950k0z4kax52js4982kqvv7aqkuq4zygarsjt6asllvmms9qrsgqrdukmc89semnkzldl32jwzzyjv9v4cm7c3khp6386mushpr0ng8sv6zpxgs3pwmje50dvn2cw7krw2d2v9c7jtr9f2e24y86u3dre6qqamrz8c', NULL, 'c0d8f497bf2d4f3897fbaeb8f78671474ba2bab89f2748c54d0df2241823cac9', 'open hold invoice', '', 700000, 0, 0, '2026-11-28 14:05:50.910085+00', '2026-11-28 14:05:50.910085+00', '2046-11-23 14:05:50+00', NULL, false, NULL, NULL, '', true, NULL);
INSERT INTO public.transactions VALUES (38, 11, NULL, 'incoming', 'SETTLED', 'lnbcrt10n1p4s4ha7pp5mpc0tghyrv0uqukr6lz330aupnzkmvjm47hz9pp0u3hlfylny6xqdqjdahx2grnv96x7umgdycqzzsxqyz5vqsp50zs9qdxvpzx7dtug08r2st56kaap0xj6kc7gdy3fg8yejetuve2q9qrsgqt84nmq6749glsr5nwwyp3up5kxmcqp4ma4tsrrk3lms8wse4csj36y22e47k95sn5apq9yhsvpx5vpn7ayfg4k5nhymfenygl47cgnsqzfgtvk', '8a99c09f753979ed0d3dea933ff2086417dfedfda0c9650cf05d4bd996269a48', 'd870f5a2e41b1fc072c3d7c518bfbc0cc56db25bafae22842fe46ff493f3268c', 'one satoshi', '', 1000, 0, 0, '2026-11-28 14:05:50.91043+00', '2026-11-28 14:05:50.91078+00', '2026-11-29 14:05:50+00', '2026-11-28 14:05:50.910767+00', false, NULL, NULL, '', false, NULL);
INSERT INTO public.transactions VALUES (39, 7, NULL, 'outgoing', 'PENDING', 'lnbcrt20u1p4s4ha7pp5cqxuklrvk735w6aaxvl5ufwp9ptzrrmm362ckupy6j38wdce9fwqdq4wd6xz7tnypcx2mnyd9hxwcqzzsxqrrsssp5aup4uqe58hrx437x9d8gs7jr6q9vs5elcxtvug24cpngmctlmz8q9qrsgqszswgeg8fs6tajmzhqh7a6ds0gzkfvhdmrwyk0qnxtajempma0gzggqhd3zxyhnnvzs4y2d9wxkz09qqsmh65r7w4ewfdwtdd7xyemgqc6q3jd', NULL, 'c00dcb7c6cb7a3476bbd333f4e25c12856218f7b8e958b7024d4a27737192a5c', 'stays pending', '', 2000000, 0, 20000, '2026-11-28 14:05:50.912114+00', '2026-11-28 14:05:50.912114+00', '2026-11-28 15:05:50.912106+00', NULL, false, NULL, NULL, '', false, NULL);


--
-- Data for Name: user_configs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_configs VALUES (1, 'Relay', 'wss://relay.example.com', false, '2026-11-28 14:05:50.374964+00', '2026-11-28 14:05:50.374964+00');
INSERT INTO public.user_configs VALUES (2, 'LNBackendType', 'LND', false, '2026-11-28 14:05:50.375112+00', '2026-11-28 14:05:50.375112+00');
INSERT INTO public.user_configs VALUES (3, 'Mnemonic', '98f674b031a7ae58e17dfbcb0bc0539f9b67c9d535c67340e36932f771c2494d-47b678b672f3ebabd6e234cf-c67629271da981447cffe010ec8b075788cde2ecabaa696a8703c19c5b91fa38cf9799bfdad517c14bab7aaacc3dd6fb27217d95335f2a2cf1bfe44ee59cdf1bd6a6876483f22caa5cf9655d626f089df94349c796000c4a89193e3900d11af5615ac761a3a8caee83810001e5', true, '2026-11-28 14:05:50.533898+00', '2026-11-28 14:05:50.533898+00');
INSERT INTO public.user_configs VALUES (4, 'NostrSecretKey', 'cdbbc94e82ea1fde915978b18f0cbf64c769914d8a9b6edd7278440a6945143d-80113865750e1cd8aad53202-37984a4581417433c1a06f981d472682ec70760a52db6d8f595b14be9de607a33614caf6a51543ffdc0ca45d4966dbbedaaf02e77d68f1a39a28d13feef4bffe7100c19c91d341bd3abb80670bd44096', true, '2026-11-28 14:05:50.625278+00', '2026-11-28 14:05:50.625278+00');


--
-- Name: app_permissions_2_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.app_permissions_2_id_seq', 75, true);


--
-- Name: apps_2_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.apps_2_id_seq', 11, true);


--
-- Name: forwards_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.forwards_id_seq', 1, false);


--
-- Name: request_events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.request_events_id_seq', 1, false);


--
-- Name: response_events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.response_events_id_seq', 1, false);


--
-- Name: swaps_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.swaps_id_seq', 1, false);


--
-- Name: transactions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.transactions_id_seq', 39, true);


--
-- Name: user_configs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.user_configs_id_seq', 4, true);


--
-- Name: app_permissions app_permissions_2_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_permissions
    ADD CONSTRAINT app_permissions_2_pkey PRIMARY KEY (id);


--
-- Name: apps apps_2_nostr_pubkey_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.apps
    ADD CONSTRAINT apps_2_nostr_pubkey_key UNIQUE (app_pubkey);


--
-- Name: apps apps_2_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.apps
    ADD CONSTRAINT apps_2_pkey PRIMARY KEY (id);


--
-- Name: forwards forwards_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forwards
    ADD CONSTRAINT forwards_pkey PRIMARY KEY (id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);


--
-- Name: request_events request_events_nostr_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_events
    ADD CONSTRAINT request_events_nostr_id_key UNIQUE (nostr_id);


--
-- Name: request_events request_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_events
    ADD CONSTRAINT request_events_pkey PRIMARY KEY (id);


--
-- Name: response_events response_events_nostr_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.response_events
    ADD CONSTRAINT response_events_nostr_id_key UNIQUE (nostr_id);


--
-- Name: response_events response_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.response_events
    ADD CONSTRAINT response_events_pkey PRIMARY KEY (id);


--
-- Name: swaps swaps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps
    ADD CONSTRAINT swaps_pkey PRIMARY KEY (id);


--
-- Name: swaps swaps_swap_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.swaps
    ADD CONSTRAINT swaps_swap_id_key UNIQUE (swap_id);


--
-- Name: transactions transactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.transactions
    ADD CONSTRAINT transactions_pkey PRIMARY KEY (id);


--
-- Name: user_configs user_configs_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_configs
    ADD CONSTRAINT user_configs_key_key UNIQUE (key);


--
-- Name: user_configs user_configs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_configs
    ADD CONSTRAINT user_configs_pkey PRIMARY KEY (id);


--
-- Name: idx_app_permissions_app_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_app_permissions_app_id ON public.app_permissions USING btree (app_id);


--
-- Name: idx_app_permissions_scope; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_app_permissions_scope ON public.app_permissions USING btree (scope);


--
-- Name: idx_request_events_app_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_request_events_app_id ON public.request_events USING btree (app_id);


--
-- Name: idx_request_events_app_id_and_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_request_events_app_id_and_id ON public.request_events USING btree (app_id, id);


--
-- Name: idx_request_events_method; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_request_events_method ON public.request_events USING btree (method);


--
-- Name: idx_response_events_request_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_response_events_request_id ON public.response_events USING btree (request_id);


--
-- Name: idx_transactions_app_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_app_id ON public.transactions USING btree (app_id);


--
-- Name: idx_transactions_app_id_state_type_updated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_app_id_state_type_updated_at ON public.transactions USING btree (app_id, state, type, updated_at);


--
-- Name: idx_transactions_app_id_type_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_app_id_type_state ON public.transactions USING btree (app_id, type, state);


--
-- Name: idx_transactions_app_id_type_state_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_app_id_type_state_created_at ON public.transactions USING btree (app_id, type, state, created_at);


--
-- Name: idx_transactions_payment_hash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_payment_hash ON public.transactions USING btree (payment_hash);


--
-- Name: idx_transactions_payment_hash_settled_at_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_payment_hash_settled_at_created_at ON public.transactions USING btree (payment_hash, settled_at, created_at);


--
-- Name: idx_transactions_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_state ON public.transactions USING btree (state);


--
-- Name: idx_transactions_state_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_state_type ON public.transactions USING btree (state, type);


--
-- Name: idx_transactions_state_type_updated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_state_type_updated_at ON public.transactions USING btree (state, type, updated_at);


--
-- Name: idx_transactions_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_type ON public.transactions USING btree (type);


--
-- Name: idx_transactions_updated_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_transactions_updated_at ON public.transactions USING btree (updated_at);


--
-- Name: idx_user_configs_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_user_configs_key ON public.user_configs USING btree (key);


--
-- Name: app_permissions fk_app_permissions_app; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_permissions
    ADD CONSTRAINT fk_app_permissions_app FOREIGN KEY (app_id) REFERENCES public.apps(id) ON DELETE CASCADE;


--
-- Name: request_events fk_request_events_app; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_events
    ADD CONSTRAINT fk_request_events_app FOREIGN KEY (app_id) REFERENCES public.apps(id) ON DELETE CASCADE;


--
-- Name: response_events fk_response_events_request_event; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.response_events
    ADD CONSTRAINT fk_response_events_request_event FOREIGN KEY (request_id) REFERENCES public.request_events(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


