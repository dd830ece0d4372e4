import type pg from 'pg'

/** A transaction that the senders recorded under a nonce and that is not over. */
export interface RecordedTransaction { id: string; kind: string; contract: string | null; operations: RecordedOperation[] }

/** An operation that features queued. Hexadecimal values begin with `0x`. */
export interface RecordedOperation {
  kind: string
  application: string | null
  organization: string
  token: string | null
  recipient: string | null
  content: Record<string, string | null> | null
}

/** A contract that is wanted, or was deployed. */
export interface RecordedContract {
  kind: string
  application: string | null
  /** Which of the application's contracts: 0 is the first, each further one comes when the one before is full. */
  part: number
  /** Whether the chain has a further contract of the application. */
  superseded: boolean
  name: string | null
  symbol: string | null
  sender: string | null
  address: string | null
  /** The signed bytes of its deployment. */
  raw: Buffer[]
}

export type TokenWanted = { kind: string; network: string; application: string; tokens: readonly string[] }

/** A token with the wallet and the nonce that it was signed under. */
export interface SignedToken { token: string; sender: string; nonce: number }

/** What features and senders have recorded, read with a role that may read it and nothing else. */
export interface Tables {
  /** The nonce that the sender's next transaction takes; undefined: it has no row yet. */
  nextNonce(network: string, sender: string): Promise<number | undefined>
  transactionAt(network: string, sender: string, nonce: number): Promise<RecordedTransaction | undefined>
  queuedTokens(wanted: TokenWanted): Promise<RecordedOperation[]>
  queuedRecords(network: string, kind: string, words: readonly string[]): Promise<RecordedOperation[]>
  /** Contracts that the sender is to deploy. */
  wantedContracts(network: string, sender: string): Promise<RecordedContract[]>
  contractAt(network: string, address: string): Promise<RecordedContract | undefined>
  /** A contract of an application's passports. */
  contractOf(network: string, application: string, part: number): Promise<RecordedContract | undefined>
  /**
   * Those tokens whose nonce is used up for good by a transaction that did nothing with them. Where nobody knows what
   * used it, the transaction that it was meant for has to be theirs: the chain was asked what became of its tokens.
   */
  released(network: string, signed: readonly SignedToken[]): Promise<string[]>
}

const operation = `o.kind, o.application, o.organization, '0x' || encode(o.token_id, 'hex') as token, o.recipient, o.content`

const atNonce = 't.network = $1 and t.sender = s.sender and t.nonce = s.nonce'

/** Reads the tables through the signer's own pool. Each query is along an index. */
export function tablesOf(pool: pg.Pool): Tables {
  const rows = async <T extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) =>
    (await pool.query<T>({ name, text, values })).rows
  const contract = (name: string, condition: string, values: unknown[]) => rows<RecordedContract>(name, `
    select c.kind, c.application, c.part, c.name, c.symbol, c.sender, c.address, coalesce(a.raws, '{}') as raw,
      exists (
        select from public.chain_contracts later join public.chain_transactions t on t.id = later.transaction
        where later.application = c.application and later.network = c.network and later.kind = c.kind
          and later.part > c.part and t.status in ('included', 'final')) as superseded
    from public.chain_contracts c left join lateral (
      select array_agg(raw) as raws from public.chain_attempts where transaction = c.transaction and not empty
    ) a on true where ${condition}`, values)
  return {
    async nextNonce(network, sender) {
      const [row] = await rows<{ next: number }>('next-nonce', `select next_nonce::float8 as next
        from public.chain_senders where network = $1 and address = $2`, [network, sender])
      return row?.next
    },
    async transactionAt(network, sender, nonce) {
      const [row] = await rows<Omit<RecordedTransaction, 'operations'>>('transaction', `
        select id, kind, contract from public.chain_transactions where network = $1 and sender = $2 and nonce = $3
          and status in ('signed', 'submitted', 'included')`, [network, sender, nonce])
      if (!row) return undefined
      const operations = await rows<RecordedOperation>('operations', `select ${operation}
        from public.chain_operations o where o.transaction = $1 and o.status = 'sent'`, [row.id])
      return { ...row, operations }
    },
    queuedTokens: ({ kind, network, application, tokens }) => rows<RecordedOperation>('tokens', `select ${operation}
      from public.chain_operations o where o.application = $1 and o.token_id = any($2::bytea[]) and o.network = $3
        and o.kind = $4 and o.status = 'queued'`,
    [application, tokens.map((token) => Buffer.from(token.slice(2), 'hex')), network, kind]),
    queuedRecords: (network, kind, words) => rows<RecordedOperation>('records', `select ${operation}
      from public.chain_operations o where o.network = $1 and o.kind = $2 and o.status = 'queued'
        and coalesce(o.content->>'root', o.content->>'key') = any($3::text[])
        and o.kind in ('anchor', 'registerKey', 'rotateKey', 'revokeKey')`, [network, kind, words]),
    wantedContracts: (network, sender) => contract('wanted', 'c.network = $1 and c.sender = $2 and c.transaction is null',
      [network, sender]),
    async contractAt(network, address) {
      const [row] = await contract('contract', 'c.network = $1 and c.address = $2', [network, address])
      return row
    },
    async contractOf(network, application, part) {
      const condition = `c.network = $1 and c.application = $2 and c.part = $3 and c.kind = 'passports'`
      const [row] = await contract('part', condition, [network, application, part])
      return row
    },
    async released(network, signed) {
      const tokens = signed.map(({ token }) => Buffer.from(token.slice(2), 'hex'))
      const found = await rows<{ token: string }>('released', `select '0x' || encode(s.token, 'hex') as token
        from unnest($2::bytea[], $3::text[], $4::bigint[]) as s (token, sender, nonce)
        where exists (
          select from public.chain_transactions t where ${atNonce} and (t.status in ('final', 'reverted')
            or t.status = 'lost' and exists (
              select from public.chain_attempts a where a.transaction = t.id and position(s.token in a.raw) > 0))
        ) and not exists (
          select from public.chain_transactions t where ${atNonce} and (t.status in ('signed', 'submitted', 'included')
            or exists (select from public.chain_operations o where o.transaction = t.id and o.token_id = s.token))
        )`, [network, tokens, signed.map(({ sender }) => sender), signed.map(({ nonce }) => nonce)])
      return found.map(({ token }) => token)
    },
  }
}
