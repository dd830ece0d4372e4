import pg from 'pg'
import { evidenceTablesSql } from './evidence.ts'
import type { SigningFamily } from './keys.ts'

export interface StoredKey {
  address: string
  sealed: Buffer
}
export interface StoredSignature {
  account: string
  digest: Buffer
  signature: Buffer
}

/** A signature with the act that it is for. */
export interface NewSignature extends StoredSignature {
  network: string
  nonce: number
  act: string
  /** Address of the contract that the act calls. */
  contract: string | null
}

/** A stored key with the account and family that it is sealed for. */
export interface SealedKey {
  account: string
  family: string
  sealed: Buffer
}

/** The signer's own tables, in a schema that no other role can read. */
export interface SignerStore {
  findKey(account: string, family: SigningFamily): Promise<StoredKey | undefined>
  /** Inserts a key unless the account has one. @returns the stored key */
  insertKey(account: string, family: SigningFamily, key: StoredKey): Promise<StoredKey>
  /**
   * Erases a key for ever. Its address stays, because it says what the signer may send to, and an account never gets
   * another one. @returns whether there was a key
   */
  eraseKey(account: string, family: SigningFamily): Promise<boolean>
  findSignature(operation: string): Promise<StoredSignature | undefined>
  /** Inserts a signature unless the operation has one. @returns the stored signature */
  insertSignature(operation: string, signature: NewSignature): Promise<StoredSignature>
  /** Reseals, in batches, the keys whose sealed bytes do not begin with the prefix. @returns number of keys */
  resealKeys(prefix: Buffer, resealKey: (key: SealedKey) => Buffer): Promise<number>
  close(): Promise<void>
}

/** Opens the tables, and creates them at the first start. @param url database address with the signer's own role */
export async function openSignerStore(url: string): Promise<SignerStore & { pool: pg.Pool }> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'tessera signer',
    max: 8,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    statement_timeout: 8_000,
  })
  // A connection that breaks while idle is replaced at the next query, which reports any error.
  pool.on('error', () => undefined)
  await createSignerTables(pool)
  const findRow = async <T extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) =>
    (await pool.query<T>({ name, text, values })).rows[0]
  const store: SignerStore = {
    findSignature: (operation) =>
      findRow<StoredSignature>(
        'signature',
        'select account, digest, signature from signer.signatures where operation = $1',
        [operation],
      ),
    findKey: (account, family) =>
      findRow<StoredKey>(
        'key',
        `select address, sealed from signer.keys
        where account = $1 and family = $2`,
        [account, family],
      ),
    async insertKey(account, family, { address, sealed }) {
      const kept = await findRow<StoredKey>(
        'keep-key',
        `insert into signer.keys (account, family, address, sealed)
        values ($1, $2, $3, $4) on conflict do nothing returning address, sealed`,
        [account, family, address, sealed],
      )
      return kept ?? (await readExisting(store.findKey(account, family)))
    },
    eraseKey: async (account, family) =>
      (await findRow(
        'erase-key',
        `update signer.keys set sealed = '' where account = $1 and family = $2 and sealed <> '' returning account`,
        [account, family],
      )) !== undefined,
    async insertSignature(operation, { account, digest, signature, network, nonce, act, contract }) {
      const kept = await findRow<StoredSignature>(
        'keep-signature',
        `insert into signer.signatures
        (operation, account, digest, signature, network, nonce, act, contract) values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict do nothing returning account, digest, signature`,
        [operation, account, digest, signature, network, nonce, act, contract],
      )
      return kept ?? (await readExisting(store.findSignature(operation)))
    },
    async resealKeys(prefix, resealKey) {
      let resealed = 0
      for (;;) {
        const { rows } = await pool.query<SealedKey>(
          `select account, family, sealed from signer.keys
          where substring(sealed from 1 for ${prefix.length}) <> $1 and sealed <> '' limit 200`,
          [prefix],
        )
        if (rows.length === 0) return resealed
        for (const row of rows) {
          const values = [resealKey(row), row.account, row.family, row.sealed]
          const { rowCount } = await pool.query(
            `update signer.keys set sealed = $1
            where account = $2 and family = $3 and sealed = $4`,
            values,
          )
          resealed += rowCount ?? 0
        }
      }
    },
    close: () => pool.end(),
  }
  return { ...store, pool }
}

async function readExisting<T>(read: Promise<T | undefined>): Promise<T> {
  const row = await read
  if (row === undefined) throw new Error('a row of the signer disappeared')
  return row
}

/**
 * Creates the tables under a lock, so that two signers that start at once create them once. The schema may already
 * exist if the signer's role owns it.
 */
async function createSignerTables(pool: pg.Pool): Promise<void> {
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
      ${evidenceTablesSql}`)
    await client.query('commit')
  } finally {
    client.release(true)
  }
}
