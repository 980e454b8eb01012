-- Version 4: a channel of NOTIFY for each account, and which login each device uses, so that unused ones can go.

ALTER TABLE sori_sync.devices ADD login text;
CREATE TABLE sori_sync.logins (name text PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now());

-- Devices of an older Sori listen on the channel of all accounts, which goes on.
CREATE FUNCTION sori_sync.tell_account() RETURNS trigger AS $$
BEGIN
    PERFORM pg_notify('sori_sync_' || encode(NEW.id, 'hex'), '');
    RETURN NULL;
END $$ LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp;
CREATE TRIGGER told AFTER UPDATE OF newest, epoch ON sori_sync.accounts
    FOR EACH ROW EXECUTE PROCEDURE sori_sync.tell_account();

CREATE OR REPLACE FUNCTION sori_sync.beat(p_account bytea, p_device bytea, p_secret bytea, p_name bytea)
RETURNS void AS $$
BEGIN
    PERFORM sori_sync.check_device(p_account, p_device, p_secret);
    UPDATE sori_sync.devices SET seen_at = now(), name = p_name, login = session_user
        WHERE account = p_account AND id = p_device;
END $$ LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

REVOKE ALL ON ALL TABLES IN SCHEMA sori_sync FROM PUBLIC;
GRANT SELECT ON sori_sync.version TO PUBLIC;
