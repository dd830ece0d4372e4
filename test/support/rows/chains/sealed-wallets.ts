import pg from 'pg'

/** Replaces the sealed key of a wallet. @param url of the database, as the signer's role; other roles may not */
export async function replaceSealedWallet(
  url: string,
  { account, sealed }: { account: string; sealed: Buffer },
): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client
    .query('update signer.keys set sealed = $1 where account = $2', [sealed, account])
    .finally(() => client.end())
}

/**
 * Gives accounts that were inserted as rows the wallets that the signer knows, with keys that cannot sign: the signer
 * lets points go to wallets of accounts only. @param url of the database, as the signer's role
 */
export async function insertWalletsWithoutKeys(
  url: string,
  wallets: readonly { id: string; address: string }[],
): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client
    .query(
      `insert into signer.keys (account, family, address, sealed)
       select 'account:' || id, 'evm', address, '' from unnest($1::text[], $2::text[]) as wallet (id, address)`,
      [wallets.map(({ id }) => id), wallets.map(({ address }) => address)],
    )
    .finally(() => client.end())
}
