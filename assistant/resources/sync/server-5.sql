-- Version 5: what was noted of effects goes once it can matter no longer.

-- Who takes the lead meets at once what the one before had noted and not ended, and nothing is done that is late by more
-- than 30 days. The server's clock may be wrong, so what was noted under the last ten leases stays however old it seems.
CREATE FUNCTION sori_sync.forget_effects() RETURNS trigger AS $$
BEGIN
    DELETE FROM sori_sync.effects WHERE account = NEW.account AND token < NEW.token - 10
        AND at < clock_timestamp() - interval '90 days';
    RETURN NULL;
END $$ LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp;
-- In the transaction that gives a new token, which has locked the account; a renewal sets none.
CREATE TRIGGER forgotten AFTER INSERT OR UPDATE OF token ON sori_sync.leases
    FOR EACH ROW EXECUTE PROCEDURE sori_sync.forget_effects();
