import type pg from 'pg'

/** A transaction that the senders recorded under a nonce and that is still in flight. */
export interface RecordedTransaction {
  id: string
  kind: string
  contract: string | null
  operations: RecordedOperation[]
}

/** An operation that a feature queued. Hexadecimal values begin with `0x`. */
export interface RecordedOperation {
  id: string
  kind: string
  application: string | null
  organization: string
  token: string | null
  recipient: string | null
  content: Record<string, string | null> | null
}

/** A contract that is requested or was deployed. */
export interface RecordedContract {
  kind: string
  application: string | null
  /** Place among the application's contracts: 0 is the first; a further one comes when the one before is full. */
  part: number
  /** Whether a further contract of the application is on the chain. */
  superseded: boolean
  name: string | null
  symbol: string | null
  sender: string | null
  address: string | null
  /** Signed bytes of the contract's deployment. */
  raw: Buffer[]
}

export type TokenQuery = { kind: string; network: string; application: string; tokens: readonly string[] }

/** A token, with the wallet and the nonce under which its act was signed. */
export interface SignedToken {
  token: string
  sender: string
  nonce: number
}

/** What features and senders have recorded. The signer's role may read it and nothing else. */
export interface RecordedTables {
  /** Finds the nonce of the sender's next transaction. @returns undefined if the sender has no row yet */
  findNextNonce(network: string, sender: string): Promise<number | undefined>
  findTransaction(network: string, sender: string, nonce: number): Promise<RecordedTransaction | undefined>
  listQueuedTokens(query: TokenQuery): Promise<RecordedOperation[]>
  listQueuedRecords(network: string, kind: string, words: readonly string[]): Promise<RecordedOperation[]>
  /** Lists those of an application's entries of points with these ids that are queued. */
  listQueuedPoints(network: string, application: string, ids: readonly string[]): Promise<RecordedOperation[]>
  /** Lists contracts that the sender has to deploy. */
  listWantedContracts(network: string, sender: string): Promise<RecordedContract[]>
  findContract(network: string, address: string): Promise<RecordedContract | undefined>
  /** Finds the contract of an application's passports that has this part. */
  findPassportsContract(network: string, application: string, part: number): Promise<RecordedContract | undefined>
  /**
   * Lists the tokens whose nonce a transaction used up for good without doing anything to them. If the transaction that
   * used the nonce is unknown, the recorded transaction of that nonce must contain the token, because the sender then
   * looked up on the chain what became of the transaction's tokens.
   */
  listReleasedTokens(network: string, signed: readonly SignedToken[]): Promise<string[]>
}

const operationColumns = `o.id, o.kind, o.application, o.organization, '0x' || encode(o.token_id, 'hex') as token, o.recipient, o.content`

const atNonceCondition = 't.network = $1 and t.sender = s.sender and t.nonce = s.nonce'

/** Creates a reader of the tables on the signer's own pool. Each query follows an index. */
export function createRecordedTables(pool: pg.Pool): RecordedTables {
  const queryRows = async <T extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) =>
    (await pool.query<T>({ name, text, values })).rows
  const queryContracts = (name: string, condition: string, values: unknown[]) =>
    queryRows<RecordedContract>(
      name,
      `
    select c.kind, c.application, c.part, c.name, c.symbol, c.sender, c.address, coalesce(a.raws, '{}') as raw,
      exists (
        select from public.chain_contracts later join public.chain_transactions t on t.id = later.transaction
        where later.application = c.application and later.network = c.network and later.kind = c.kind
          and later.part > c.part and t.status in ('included', 'final')) as superseded
    from public.chain_contracts c left join lateral (
      select array_agg(raw) as raws from public.chain_attempts where transaction = c.transaction and not empty
    ) a on true where ${condition}`,
      values,
    )
  return {
    async findNextNonce(network, sender) {
      const [row] = await queryRows<{ next: number }>(
        'next-nonce',
        `select next_nonce::float8 as next
        from public.chain_senders where network = $1 and address = $2`,
        [network, sender],
      )
      return row?.next
    },
    async findTransaction(network, sender, nonce) {
      const [row] = await queryRows<Omit<RecordedTransaction, 'operations'>>(
        'transaction',
        `
        select id, kind, contract from public.chain_transactions where network = $1 and sender = $2 and nonce = $3
          and status in ('signed', 'submitted', 'included')`,
        [network, sender, nonce],
      )
      if (!row) return undefined
      const operations = await queryRows<RecordedOperation>(
        'operations',
        `select ${operationColumns}
        from public.chain_operations o where o.transaction = $1 and o.status = 'sent'`,
        [row.id],
      )
      return { ...row, operations }
    },
    listQueuedTokens: ({ kind, network, application, tokens }) =>
      queryRows<RecordedOperation>(
        'tokens',
        `select ${operationColumns}
      from public.chain_operations o where o.application = $1 and o.token_id = any($2::bytea[]) and o.network = $3
        and o.kind = $4 and o.status = 'queued'`,
        [application, tokens.map((token) => Buffer.from(token.slice(2), 'hex')), network, kind],
      ),
    listQueuedRecords: (network, kind, words) =>
      queryRows<RecordedOperation>(
        'records',
        `select ${operationColumns}
      from public.chain_operations o where o.network = $1 and o.kind = $2 and o.status = 'queued'
        and coalesce(o.content->>'root', o.content->>'key') = any($3::text[])
        and o.kind in ('anchor', 'registerKey', 'rotateKey', 'revokeKey')`,
        [network, kind, words],
      ),
    listQueuedPoints: (network, application, ids) =>
      queryRows<RecordedOperation>(
        'points',
        `select ${operationColumns}
      from public.chain_operations o where o.id = any($3::text[]) and o.network = $1 and o.application = $2
        and o.kind = 'postPoints' and o.status = 'queued'`,
        [network, application, ids],
      ),
    listWantedContracts: (network, sender) =>
      queryContracts('wanted', 'c.network = $1 and c.sender = $2 and c.transaction is null', [network, sender]),
    async findContract(network, address) {
      const [row] = await queryContracts('contract', 'c.network = $1 and c.address = $2', [network, address])
      return row
    },
    async findPassportsContract(network, application, part) {
      const condition = `c.network = $1 and c.application = $2 and c.part = $3 and c.kind = 'passports'`
      const [row] = await queryContracts('part', condition, [network, application, part])
      return row
    },
    async listReleasedTokens(network, signed) {
      const tokens = signed.map(({ token }) => Buffer.from(token.slice(2), 'hex'))
      const tokenRows = await queryRows<{ token: string }>(
        'released',
        `select '0x' || encode(s.token, 'hex') as token
        from unnest($2::bytea[], $3::text[], $4::bigint[]) as s (token, sender, nonce)
        where exists (
          select from public.chain_transactions t where ${atNonceCondition} and (t.status in ('final', 'reverted')
            or t.status = 'lost' and exists (
              select from public.chain_attempts a where a.transaction = t.id and position(s.token in a.raw) > 0))
        ) and not exists (
          select from public.chain_transactions t where ${atNonceCondition} and (t.status in ('signed', 'submitted', 'included')
            or exists (select from public.chain_operations o where o.transaction = t.id and o.token_id = s.token))
        )`,
        [network, tokens, signed.map(({ sender }) => sender), signed.map(({ nonce }) => nonce)],
      )
      return tokenRows.map(({ token }) => token)
    },
  }
}
