-- Version 1 of the server's tables and functions. A device may call the functions only; the tables are closed to it.
--
-- Each function asks for the account, the device and the device's secret, and refuses a device that was revoked
-- (SR001). So one role serves many devices, a lost one is shut out by any other, and no device reads another account.
-- The functions run with their owner's rights, so nobody else's names may come before those of PostgreSQL.

CREATE TABLE sori_sync.accounts (
    id bytea PRIMARY KEY, newest bigint NOT NULL DEFAULT 0, newest_token bigint NOT NULL DEFAULT 0,
    salt bytea NOT NULL CHECK (length(salt) = 16), passes int NOT NULL CHECK (passes BETWEEN 1 AND 20),
    memory_kib int NOT NULL CHECK (memory_kib BETWEEN 1024 AND 1048576),
    keys bytea NOT NULL CHECK (length(keys) < 100000), proof bytea NOT NULL
);
CREATE TABLE sori_sync.devices (
    account bytea NOT NULL REFERENCES sori_sync.accounts ON DELETE CASCADE, id bytea NOT NULL,
    secret bytea NOT NULL, name bytea NOT NULL DEFAULT '', seen_at timestamptz NOT NULL DEFAULT now(),
    revoked boolean NOT NULL DEFAULT false, PRIMARY KEY (account, id)
);
CREATE TABLE sori_sync.records (
    account bytea NOT NULL REFERENCES sori_sync.accounts ON DELETE CASCADE, id bytea NOT NULL,
    number bigint NOT NULL, content bytea NOT NULL, PRIMARY KEY (account, id)
);
CREATE UNIQUE INDEX records_number ON sori_sync.records (account, number);
CREATE TABLE sori_sync.leases (
    account bytea NOT NULL REFERENCES sori_sync.accounts ON DELETE CASCADE, work text NOT NULL,
    device bytea NOT NULL, token bigint NOT NULL, until timestamptz NOT NULL, PRIMARY KEY (account, work)
);
CREATE TABLE sori_sync.effects (
    account bytea NOT NULL REFERENCES sori_sync.accounts ON DELETE CASCADE, effect text NOT NULL,
    token bigint NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (account, effect)
);

CREATE FUNCTION sori_sync.check_device(p_account bytea, p_device bytea, p_secret bytea) RETURNS void AS $$
BEGIN
    PERFORM 1 FROM sori_sync.devices
        WHERE account = p_account AND id = p_device AND secret = sha256(p_secret) AND NOT revoked;
    IF NOT FOUND THEN RAISE EXCEPTION 'this device is not allowed' USING ERRCODE = 'SR001'; END IF;
END $$ LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp;

-- At most so many bytes, but one record at least.
CREATE FUNCTION sori_sync.pull(
    p_account bytea, p_device bytea, p_secret bytea, p_after bigint, p_limit int, p_bytes bigint
) RETURNS TABLE (id bytea, number bigint, content bytea) AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    RETURN QUERY SELECT s.id, s.number, s.content FROM (
        SELECT r.*, sum(octet_length(r.content)) OVER w AS total, row_number() OVER w AS place FROM (
            SELECT * FROM sori_sync.records a
            WHERE a.account = p_account AND a.number > p_after ORDER BY a.number LIMIT p_limit
        ) r WINDOW w AS (ORDER BY r.number)
    ) s WHERE s.total <= p_bytes OR s.place = 1 ORDER BY s.number;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- All changes of an account wait for its row in accounts. So numbers become visible in their order, and a device that
-- pulls never misses a number that is committed late.
CREATE FUNCTION sori_sync.push(
    p_account bytea, p_device bytea, p_secret bytea, p_ids bytea[], p_based bigint[], p_contents bytea[]
)
RETURNS bigint[] AS $$
DECLARE
    v_newest bigint; v_now bigint; v_numbers bigint[] := '{}';
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    SELECT newest INTO v_newest FROM sori_sync.accounts WHERE id = p_account FOR UPDATE;
    FOR i IN 1 .. cardinality(p_ids) LOOP
        SELECT number INTO v_now FROM sori_sync.records WHERE account = p_account AND id = p_ids[i];
        IF coalesce(v_now, 0) <> p_based[i] THEN
            v_numbers := v_numbers || NULL::bigint;
        ELSE
            v_newest := v_newest + 1;
            INSERT INTO sori_sync.records VALUES (p_account, p_ids[i], v_newest, p_contents[i])
                ON CONFLICT (account, id) DO UPDATE SET number = excluded.number, content = excluded.content;
            v_numbers := v_numbers || v_newest;
        END IF;
    END LOOP;
    UPDATE sori_sync.accounts SET newest = v_newest WHERE id = p_account;
    PERFORM pg_notify('sori_sync', encode(p_account, 'hex'));
    RETURN v_numbers;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.newest(p_account bytea, p_device bytea, p_secret bytea) RETURNS bigint AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    RETURN (SELECT a.newest FROM sori_sync.accounts a WHERE a.id = p_account);
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.beat(p_account bytea, p_device bytea, p_secret bytea, p_name bytea) RETURNS void AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    UPDATE sori_sync.devices SET seen_at = now(), name = p_name WHERE account = p_account AND id = p_device;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.devices(p_account bytea, p_device bytea, p_secret bytea, p_offline_s float)
RETURNS TABLE (id bytea, name bytea, seen_at timestamptz, online boolean, revoked boolean) AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    RETURN QUERY SELECT d.id, d.name, d.seen_at, d.seen_at > now() - make_interval(secs => p_offline_s), d.revoked
        FROM sori_sync.devices d WHERE d.account = p_account ORDER BY d.id;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.revoke(p_account bytea, p_device bytea, p_secret bytea, p_other bytea) RETURNS void AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    UPDATE sori_sync.devices SET revoked = true WHERE account = p_account AND id = p_other;
    DELETE FROM sori_sync.leases WHERE account = p_account AND device = p_other;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- The token grows with each change of hands, never by a renewal. clock_timestamp and not now: a transaction that
-- waited for the account's row would otherwise see a lease as valid that has ended meanwhile.
CREATE FUNCTION sori_sync.lease(
    p_account bytea, p_device bytea, p_secret bytea, p_work text, p_for_s float
) RETURNS bigint AS $$
DECLARE
    v_token bigint; v_until timestamptz;
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    SELECT newest_token INTO v_token FROM sori_sync.accounts WHERE id = p_account FOR UPDATE;
    v_until := clock_timestamp() + make_interval(secs => p_for_s);
    UPDATE sori_sync.leases SET until = v_until
        WHERE account = p_account AND work = p_work AND device = p_device AND until > clock_timestamp()
        RETURNING token INTO v_token;
    IF FOUND THEN RETURN v_token; END IF;
    PERFORM 1 FROM sori_sync.leases WHERE account = p_account AND work = p_work AND until > clock_timestamp();
    IF FOUND THEN RETURN NULL; END IF;
    UPDATE sori_sync.accounts SET newest_token = newest_token + 1 WHERE id = p_account
        RETURNING newest_token INTO v_token;
    INSERT INTO sori_sync.leases VALUES (p_account, p_work, p_device, v_token, v_until)
        ON CONFLICT (account, work) DO UPDATE
        SET device = excluded.device, token = excluded.token, until = excluded.until;
    RETURN v_token;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.give_back(
    p_account bytea, p_device bytea, p_secret bytea, p_work text, p_token bigint
) RETURNS void AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    DELETE FROM sori_sync.leases
        WHERE account = p_account AND work = p_work AND token = p_token AND device = p_device;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.once(
    p_account bytea, p_device bytea, p_secret bytea, p_work text, p_token bigint, p_effect text
) RETURNS boolean AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    PERFORM 1 FROM sori_sync.accounts WHERE id = p_account FOR UPDATE;
    PERFORM 1 FROM sori_sync.leases WHERE account = p_account AND work = p_work AND token = p_token
        AND device = p_device AND until > clock_timestamp();
    IF NOT FOUND THEN RAISE EXCEPTION 'the lease has ended' USING ERRCODE = 'SR002'; END IF;
    INSERT INTO sori_sync.effects (account, effect, token) VALUES (p_account, p_effect, p_token) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- Whoever joins proves that it knows the passphrase. The server keeps a hash of the proof only.
CREATE FUNCTION sori_sync.accounts()
RETURNS TABLE (id bytea, salt bytea, passes int, memory_kib int, keys bytea) AS $$
    SELECT a.id, a.salt, a.passes, a.memory_kib, a.keys FROM sori_sync.accounts a ORDER BY a.id
$$ LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.found(
    p_account bytea, p_salt bytea, p_passes int, p_memory_kib int, p_keys bytea, p_proof bytea
) RETURNS void AS $$
BEGIN
    INSERT INTO sori_sync.accounts (id, salt, passes, memory_kib, keys, proof)
        VALUES (p_account, p_salt, p_passes, p_memory_kib, p_keys, sha256(p_proof));
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.join_account(
    p_account bytea, p_device bytea, p_secret bytea, p_proof bytea, p_name bytea
) RETURNS void AS $$
BEGIN
    PERFORM 1 FROM sori_sync.accounts WHERE id = p_account AND proof = sha256(p_proof);
    IF NOT FOUND THEN RAISE EXCEPTION 'the proof is another one' USING ERRCODE = 'SR001'; END IF;
    INSERT INTO sori_sync.devices (account, id, secret, name)
        VALUES (p_account, p_device, sha256(p_secret), p_name)
        ON CONFLICT (account, id) DO UPDATE SET secret = excluded.secret, name = excluded.name, seen_at = now()
        WHERE NOT sori_sync.devices.revoked;
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.change_keys(
    p_account bytea, p_device bytea, p_secret bytea,
    p_salt bytea, p_passes int, p_memory_kib int, p_keys bytea, p_proof bytea
) RETURNS void AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    UPDATE sori_sync.accounts SET salt = p_salt, passes = p_passes, memory_kib = p_memory_kib, keys = p_keys,
        proof = sha256(p_proof) WHERE id = p_account;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

REVOKE ALL ON ALL TABLES IN SCHEMA sori_sync FROM PUBLIC;
GRANT SELECT ON sori_sync.version TO PUBLIC;
