import type pg from 'pg'
import type { SignedToken } from './tables.ts'

/** A contract whose deployment this signer signed. */
export interface DeploymentEvidence {
  network: string
  address: string
  kind: string
  /** Wallet that deployed the contract and is its relayer. */
  account: string
  /** Application of a passport collection; null for other contracts. */
  application: string | null
  issuer: string | null
}

/** The signer's own knowledge of what it has seen and signed. It is stored only in the signer's schema. */
export interface Evidence {
  listDeployments(network: string, address: string): Promise<DeploymentEvidence[]>
  insertDeployment(deployment: DeploymentEvidence): Promise<void>
  /**
   * Counts the batches of a contract that were signed, one for each nonce. Signatures of versions that did not store
   * the contract count for every contract of the wallet.
   */
  countSignedBatches(account: string, network: string, contract: string): Promise<number>
  /** Checks whether these bytes were signed, including by an earlier version. */
  wasSigned(account: string, digest: Buffer): Promise<boolean>
  /** Lists the wallets with these addresses. */
  listWallets(addresses: readonly string[]): Promise<{ account: string; address: string }[]>
  /** Lists the tokens for which the same act was signed under another nonce. */
  listTokensSignedElsewhere(reservation: TokenReservation): Promise<SignedToken[]>
  /**
   * Reserves tokens for an act under a nonce. Each token must be new, reserved for the same nonce already, or listed in
   * `released` with the nonce that it is released from.
   * @returns whether that holds for all tokens; if not, nothing is reserved
   */
  reserveTokens(reservation: TokenReservation, released: readonly SignedToken[]): Promise<boolean>
}

/** An act that happens only once to tokens of an application, in whichever of its contracts, and the act's nonce. */
export interface TokenReservation {
  network: string
  application: string
  deed: 'mint' | 'transfer'
  tokens: readonly string[]
  sender: string
  nonce: number
}

/** SQL that creates the tables of evidence beside those of the keys. */
export const evidenceTablesSql = `
  create table if not exists signer.deployments (
    network text not null,
    address text not null,
    kind text not null,
    account text not null,
    application text not null default '',
    issuer text,
    created_at timestamptz not null default now(),
    primary key (network, address, kind, application)
  );
  create table if not exists signer.tokens (
    network text not null,
    application text not null,
    deed text not null,
    token bytea not null,
    sender text not null,
    nonce bigint not null,
    primary key (network, application, deed, token)
  );
  create index if not exists keys_address on signer.keys (address);
  create index if not exists signatures_digest on signer.signatures (digest);
  alter table signer.signatures add column if not exists network text;
  alter table signer.signatures add column if not exists act text;
  alter table signer.signatures add column if not exists nonce bigint;
  alter table signer.signatures add column if not exists contract text;
  create index if not exists signatures_batches on signer.signatures (network, contract, nonce) where act = 'mintBatch';
  create index if not exists signatures_of_unknown_contracts on signer.signatures (account)
    where contract is null and (act is null or act = 'mintBatch');`

export function createEvidence(pool: pg.Pool): Evidence {
  return {
    async listDeployments(network, address) {
      const { rows } = await pool.query<DeploymentEvidence>({
        name: 'deployment',
        values: [network, address],
        text: `select network, address, kind, account, nullif(application, '') as application, issuer
          from signer.deployments where network = $1 and address = $2`,
      })
      return rows
    },
    async insertDeployment({ network, address, kind, account, application, issuer }) {
      await pool.query(
        `insert into signer.deployments (network, address, kind, account, application, issuer)
        values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        [network, address, kind, account, application ?? '', issuer],
      )
    },
    async countSignedBatches(account, network, contract) {
      const { rows } = await pool.query<{ batches: number }>(
        `
        select ((
          select count(distinct nonce) from signer.signatures
          where account = $1 and network = $2 and contract = $3 and act = 'mintBatch'
        ) + (
          select count(*) from signer.signatures
          where account = $1 and contract is null and (act is null or act = 'mintBatch')
        ))::float8 as batches`,
        [account, network, contract],
      )
      return rows[0]?.batches ?? 0
    },
    async wasSigned(account, digest) {
      const { rowCount } = await pool.query(
        'select from signer.signatures where digest = $1 and account = $2 limit 1',
        [digest, account],
      )
      return rowCount === 1
    },
    async listWallets(addresses) {
      const { rows } = await pool.query<{ account: string; address: string }>({
        name: 'wallets',
        text: 'select account, address from signer.keys where address = any($1)',
        values: [addresses],
      })
      return rows
    },
    async listTokensSignedElsewhere({ network, application, deed, tokens, sender, nonce }) {
      const { rows } = await pool.query<SignedToken>({
        name: 'signed-elsewhere',
        values: [network, application, deed, tokens.map(toTokenBytes), sender, nonce],
        text: `select '0x' || encode(token, 'hex') as token, sender, nonce::float8 as nonce from signer.tokens
          where network = $1 and application = $2 and deed = $3 and token = any($4::bytea[]) and (sender, nonce) <> ($5, $6)`,
      })
      return rows
    },
    async reserveTokens({ network, application, deed, tokens, sender, nonce }, released) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const values = [network, application, deed, sender, nonce]
        if (released.length > 0) {
          await client.query(
            `update signer.tokens t set sender = $4, nonce = $5::bigint
            from unnest($6::bytea[], $7::text[], $8::bigint[]) as r (token, sender, nonce)
            where t.network = $1 and t.application = $2 and t.deed = $3 and t.token = r.token and t.sender = r.sender
              and t.nonce = r.nonce`,
            [
              ...values,
              released.map(({ token }) => toTokenBytes(token)),
              released.map((one) => one.sender),
              released.map((one) => one.nonce),
            ],
          )
        }
        // The tokens are sorted, so that two transactions that reserve the same tokens wait for each other without a
        // deadlock.
        const { rowCount } = await client.query(
          `insert into signer.tokens as t (network, application, deed, token, sender, nonce)
          select $1, $2, $3, token, $4, $5::bigint from unnest($6::bytea[]) token order by token
          on conflict (network, application, deed, token) do update set nonce = excluded.nonce
          where (t.sender, t.nonce) = (excluded.sender, excluded.nonce)`,
          [...values, tokens.map(toTokenBytes)],
        )
        const isKept = rowCount === tokens.length
        await client.query(isKept ? 'commit' : 'rollback')
        return isKept
      } catch (cause) {
        await client.query('rollback').catch(() => undefined)
        throw cause
      } finally {
        client.release()
      }
    },
  }
}

const toTokenBytes = (token: string) => Buffer.from(token.slice(2), 'hex')
