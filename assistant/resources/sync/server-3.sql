-- Version 3: invitations, and keys that are passed on to the devices of an account when the account gets a new one.

ALTER TABLE sori_sync.devices ADD public_key bytea CHECK (length(public_key) < 1000);
ALTER TABLE sori_sync.accounts ADD epoch int NOT NULL DEFAULT 1;
CREATE TABLE sori_sync.invitations (
    account bytea NOT NULL, device bytea NOT NULL, proof bytea PRIMARY KEY,
    keys bytea NOT NULL CHECK (length(keys) < 100000), until timestamptz NOT NULL,
    FOREIGN KEY (account, device) REFERENCES sori_sync.devices ON DELETE CASCADE
);
CREATE TABLE sori_sync.passed_keys (
    account bytea NOT NULL, device bytea NOT NULL, epoch int NOT NULL,
    sealed bytea NOT NULL CHECK (length(sealed) < 1000), PRIMARY KEY (account, device, epoch),
    FOREIGN KEY (account, device) REFERENCES sori_sync.devices ON DELETE CASCADE
);

-- Once the account has a new key, nothing is taken that an older one has sealed. The changes of an account wait for its
-- row, so none slips through while the key changes. A content begins with the number of its key.
CREATE FUNCTION sori_sync.check_epoch() RETURNS trigger AS $$
DECLARE
    v_epoch int;
BEGIN
    SELECT epoch INTO v_epoch FROM sori_sync.accounts WHERE id = NEW.account;
    IF v_epoch > 1 AND ('x' || encode(substr(NEW.content, 1, 4), 'hex'))::bit(32)::int < v_epoch THEN
        RAISE EXCEPTION 'the account has a newer key' USING ERRCODE = 'SR004';
    END IF;
    RETURN NEW;
END $$ LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp;
CREATE TRIGGER newest_key BEFORE INSERT OR UPDATE ON sori_sync.records
    FOR EACH ROW EXECUTE PROCEDURE sori_sync.check_epoch();

CREATE FUNCTION sori_sync.set_public_key(p_account bytea, p_device bytea, p_secret bytea, p_key bytea)
RETURNS void AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    UPDATE sori_sync.devices SET public_key = p_key WHERE account = p_account AND id = p_device;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.public_keys(p_account bytea, p_device bytea, p_secret bytea)
RETURNS TABLE (id bytea, public_key bytea) AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    RETURN QUERY SELECT d.id, d.public_key FROM sori_sync.devices d
        WHERE d.account = p_account AND NOT d.revoked AND d.public_key IS NOT NULL ORDER BY d.id;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- The server knows a hash of what proves that somebody has the code, and the account's keys as only the code opens them.
CREATE FUNCTION sori_sync.invite(
    p_account bytea, p_device bytea, p_secret bytea, p_proof bytea, p_keys bytea, p_for_s float
) RETURNS timestamptz AS $$
DECLARE
    v_until timestamptz := clock_timestamp() + make_interval(secs => least(p_for_s, 3600));
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    DELETE FROM sori_sync.invitations WHERE until < clock_timestamp();
    INSERT INTO sori_sync.invitations VALUES (p_account, p_device, sha256(p_proof), p_keys, v_until);
    RETURN v_until;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- Whoever deletes the row has used it; two at once cannot.
CREATE FUNCTION sori_sync.accept(p_proof bytea, p_new_device bytea, p_new_secret bytea)
RETURNS TABLE (account bytea, keys bytea) AS $$
DECLARE
    v_account bytea; v_keys bytea;
BEGIN
    DELETE FROM sori_sync.invitations i USING sori_sync.devices d
        WHERE i.proof = sha256(p_proof) AND i.until > clock_timestamp()
            AND d.account = i.account AND d.id = i.device AND NOT d.revoked
        RETURNING i.account, i.keys INTO v_account, v_keys;
    IF v_account IS NULL THEN RAISE EXCEPTION 'no such invitation' USING ERRCODE = 'SR003'; END IF;
    INSERT INTO sori_sync.devices (account, id, secret) VALUES (v_account, p_new_device, sha256(p_new_secret));
    RETURN QUERY SELECT v_account, v_keys;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- False where another device was faster, or where a device has joined meanwhile that would not get the key.
CREATE FUNCTION sori_sync.rotate(
    p_account bytea, p_device bytea, p_secret bytea, p_epoch int,
    p_salt bytea, p_passes int, p_memory_kib int, p_keys bytea, p_proof bytea, p_ids bytea[], p_sealed bytea[]
) RETURNS boolean AS $$
DECLARE
    v_epoch int;
BEGIN
    SELECT epoch INTO v_epoch FROM sori_sync.accounts WHERE id = p_account FOR UPDATE;
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    PERFORM 1 FROM sori_sync.devices
        WHERE account = p_account AND public_key IS NOT NULL AND revoked = (id = ANY (p_ids));
    IF FOUND OR v_epoch <> p_epoch - 1 THEN RETURN false; END IF;
    UPDATE sori_sync.accounts SET epoch = p_epoch, salt = p_salt, passes = p_passes, memory_kib = p_memory_kib,
        keys = p_keys, proof = sha256(p_proof) WHERE id = p_account;
    INSERT INTO sori_sync.passed_keys SELECT p_account, i, p_epoch, s FROM unnest(p_ids, p_sealed) AS u(i, s);
    DELETE FROM sori_sync.invitations WHERE account = p_account;
    PERFORM pg_notify('sori_sync', encode(p_account, 'hex'));
    RETURN true;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

CREATE FUNCTION sori_sync.newer_keys(p_account bytea, p_device bytea, p_secret bytea, p_epoch int)
RETURNS TABLE (epoch int, sealed bytea) AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    RETURN QUERY SELECT k.epoch, k.sealed FROM sori_sync.passed_keys k
        WHERE k.account = p_account AND k.device = p_device AND k.epoch > p_epoch ORDER BY k.epoch;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

DROP FUNCTION sori_sync.change_keys(bytea, bytea, bytea, bytea, int, int, bytea, bytea);
REVOKE ALL ON ALL TABLES IN SCHEMA sori_sync FROM PUBLIC;
GRANT SELECT ON sori_sync.version TO PUBLIC;
