import pg from 'pg'
import { evidenceTables } from './evidence.ts'
import type { SigningFamily } from './keys.ts'

export interface StoredKey { address: string; sealed: Buffer }
export interface StoredSignature { account: string; digest: Buffer; signature: Buffer }

/** A signature with what it is for. */
export interface NewSignature extends StoredSignature {
  network: string
  nonce: number
  act: string
  /** Address of the contract that it calls. */
  contract: string | null
}

/** A key as it is stored, with what it is sealed for. */
export interface SealedKey { account: string; family: string; sealed: Buffer }

/** The signer's own tables, in a schema that no other role can read. */
export interface Store {
  key(account: string, family: SigningFamily): Promise<StoredKey | undefined>
  /** Keeps a key unless the account has one. @returns the one that counts */
  keepKey(account: string, family: SigningFamily, key: StoredKey): Promise<StoredKey>
  signature(operation: string): Promise<StoredSignature | undefined>
  /** Keeps a signature unless the operation has one. @returns the one that counts */
  keepSignature(operation: string, signature: NewSignature): Promise<StoredSignature>
  /** Seals anew, in batches, what does not begin with the prefix. @returns how many */
  reseal(prefix: Buffer, again: (key: SealedKey) => Buffer): Promise<number>
  close(): Promise<void>
}

/** Opens the tables, made at the first start. @param url address with the signer's own role */
export async function openStore(url: string): Promise<Store & { pool: pg.Pool }> {
  const pool = new pg.Pool({
    connectionString: url, application_name: 'tessera signer', max: 8, keepAlive: true,
    connectionTimeoutMillis: 5_000, query_timeout: 10_000, statement_timeout: 8_000,
  })
  // A connection that breaks while idle is replaced at the next query, which reports what is wrong.
  pool.on('error', () => undefined)
  await makeTables(pool)
  const one = async <T extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) =>
    (await pool.query<T>({ name, text, values })).rows[0]
  const store: Store = {
    signature: (operation) => one<StoredSignature>('signature',
      'select account, digest, signature from signer.signatures where operation = $1', [operation]),
    key: (account, family) =>
      one<StoredKey>('key', `select address, sealed from signer.keys
        where account = $1 and family = $2`, [account, family]),
    async keepKey(account, family, { address, sealed }) {
      const kept = await one<StoredKey>('keep-key', `insert into signer.keys (account, family, address, sealed)
        values ($1, $2, $3, $4) on conflict do nothing returning address, sealed`, [account, family, address, sealed])
      return kept ?? await certain(store.key(account, family))
    },
    async keepSignature(operation, { account, digest, signature, network, nonce, act, contract }) {
      const kept = await one<StoredSignature>('keep-signature', `insert into signer.signatures
        (operation, account, digest, signature, network, nonce, act, contract) values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict do nothing returning account, digest, signature`,
      [operation, account, digest, signature, network, nonce, act, contract])
      return kept ?? await certain(store.signature(operation))
    },
    async reseal(prefix, again) {
      let resealed = 0
      for (;;) {
        const { rows } = await pool.query<SealedKey>(`select account, family, sealed from signer.keys
          where substring(sealed from 1 for ${prefix.length}) <> $1 limit 200`, [prefix])
        if (rows.length === 0) return resealed
        for (const row of rows) {
          const values = [again(row), row.account, row.family, row.sealed]
          const { rowCount } = await pool.query(`update signer.keys set sealed = $1
            where account = $2 and family = $3 and sealed = $4`, values)
          resealed += rowCount ?? 0
        }
      }
    },
    close: () => pool.end(),
  }
  return { ...store, pool }
}

async function certain<T>(read: Promise<T | undefined>): Promise<T> {
  const row = await read
  if (row === undefined) throw new Error('a row of the signer disappeared')
  return row
}

/** Two signers that start at once make the tables once, under a lock. The schema may be there, owned by the role. */
async function makeTables(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('tessera signer'))`)
    const { rows } = await client.query<{ there: boolean }>(`select to_regnamespace('signer') is not null as there`)
    if (!rows[0]?.there) await client.query('create schema signer')
    await client.query(`
      create table if not exists signer.keys (
        account text not null,
        family text not null,
        address text not null,
        sealed bytea not null,
        created_at timestamptz not null default now(),
        primary key (account, family)
      );
      create table if not exists signer.signatures (
        operation text primary key,
        account text not null,
        digest bytea not null,
        signature bytea not null,
        created_at timestamptz not null default now()
      );
      ${evidenceTables}`)
    await client.query('commit')
  } finally {
    client.release(true)
  }
}
