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
