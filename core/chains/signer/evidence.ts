import type pg from 'pg'

/** A contract whose deployment this signer signed. */
export interface Deployment {
  network: string
  address: string
  kind: string
  /** Wallet that deployed it and is its relayer. */
  account: string
  /** Of a collection of passports. */
  application: string | null
  issuer: string | null
}

/** What the signer itself has seen and signed; it lies in the signer's schema only. */
export interface Evidence {
  deploymentAt(network: string, address: string): Promise<Deployment[]>
  keepDeployment(deployment: Deployment): Promise<void>
  /**
   * How many batches of a contract were signed, one a nonce. Signatures of versions that did not keep the contract count
   * for every contract of the wallet.
   */
  signedBatches(account: string, network: string, contract: string): Promise<number>
  /** Whether these bytes were signed, by any earlier version too. */
  wasSigned(account: string, digest: Buffer): Promise<boolean>
  /** Names of the wallets with these addresses. */
  walletsAt(addresses: readonly string[]): Promise<{ account: string; address: string }[]>
}

/** The tables of evidence, made beside those of the keys. */
export const evidenceTables = `
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
  create index if not exists keys_address on signer.keys (address);
  create index if not exists signatures_digest on signer.signatures (digest);
  alter table signer.signatures add column if not exists network text;
  alter table signer.signatures add column if not exists act text;
  alter table signer.signatures add column if not exists nonce bigint;
  alter table signer.signatures add column if not exists contract text;
  create index if not exists signatures_batches on signer.signatures (network, contract, nonce) where act = 'mintBatch';
  create index if not exists signatures_of_unknown_contracts on signer.signatures (account)
    where contract is null and (act is null or act = 'mintBatch');`

export function evidenceOf(pool: pg.Pool): Evidence {
  return {
    async deploymentAt(network, address) {
      const { rows } = await pool.query<Deployment>({
        name: 'deployment', values: [network, address],
        text: `select network, address, kind, account, nullif(application, '') as application, issuer
          from signer.deployments where network = $1 and address = $2`,
      })
      return rows
    },
    async keepDeployment({ network, address, kind, account, application, issuer }) {
      await pool.query(`insert into signer.deployments (network, address, kind, account, application, issuer)
        values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
      [network, address, kind, account, application ?? '', issuer])
    },
    async signedBatches(account, network, contract) {
      const { rows } = await pool.query<{ batches: number }>(`
        select ((
          select count(distinct nonce) from signer.signatures
          where account = $1 and network = $2 and contract = $3 and act = 'mintBatch'
        ) + (
          select count(*) from signer.signatures
          where account = $1 and contract is null and (act is null or act = 'mintBatch')
        ))::float8 as batches`, [account, network, contract])
      return rows[0]?.batches ?? 0
    },
    async wasSigned(account, digest) {
      const { rowCount } = await pool.query('select from signer.signatures where digest = $1 and account = $2 limit 1',
        [digest, account])
      return rowCount === 1
    },
    async walletsAt(addresses) {
      const { rows } = await pool.query<{ account: string; address: string }>({
        name: 'wallets', text: 'select account, address from signer.keys where address = any($1)', values: [addresses],
      })
      return rows
    },
  }
}
