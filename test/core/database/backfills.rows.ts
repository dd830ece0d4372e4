import { randomBytes, randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { createInitialSettings } from '../../../core/features/identity/organizations/organizations.settings.ts'
import { createGtin } from '../dpp/gs1/gtin-values.ts'

/** An organization with an owner and an application, as a database of before migration 019 has them. */
export interface OldShop {
  organization: string
  application: string
}

export async function insertOldShop(db: Knex, name: string, domains: readonly string[] = []): Promise<OldShop> {
  const [organization, application, owner] = [randomUUID(), randomUUID(), randomUUID()]
  await db('organizations').insert({
    id: organization,
    name,
    slug: name.toLowerCase(),
    customer_type: 'company',
    settings: createInitialSettings(),
  })
  await db('users').insert({ id: owner, email: `${name.toLowerCase()}@people.example`, email_verified: true })
  await db('members').insert({ id: randomUUID(), organization_id: organization, user_id: owner, role: 'owner' })
  await db('applications').insert({
    id: application,
    organization,
    name,
    slug: `${name.toLowerCase()}-shop`,
    domains,
    default_network: 'EthereumAnvil',
  })
  return { organization, application }
}

export interface OldPassport {
  status: string
  madeAt: string
  publishedAt?: string
  product: object
}

/** A passport with the event of its publication, where that is still kept. @returns its id */
export async function insertOldPassport(
  db: Knex,
  { organization, application }: OldShop,
  passportValues: OldPassport,
): Promise<string> {
  const { status, madeAt, publishedAt, product } = passportValues
  const id = randomUUID()
  await db('passports').insert({
    id,
    organization,
    application,
    network: 'EthereumAnvil',
    status,
    created_at: madeAt,
    product: { idGranularity: 'model', name: 'Bag', modelNumber: id, ...product },
  })
  if (publishedAt !== undefined) {
    await db('events').insert({
      id: randomUUID(),
      organization,
      application,
      application_name: 'Old',
      subject: 'dppPassport',
      type: 'publish',
      passport: { id, status: 'published' },
      created_at: publishedAt,
    })
  }
  return id
}

/** Whose GTINs were published when, and whose they are by that. */
export async function insertOldGtins(db: Knex, maker: OldShop, seller: OldShop) {
  const gtin = {
    publishedFirst: createGtin(),
    drafted: createGtin(),
    archived: createGtin(),
    neverOpen: createGtin(),
    beforeEvents: createGtin(),
    inAddress: createGtin(),
    claimed: createGtin(13),
    wrong: '',
  }
  gtin.wrong = `${gtin.drafted.slice(0, -1)}${(Number(gtin.drafted.at(-1)) + 1) % 10}`
  const rows: [OldShop, string, OldPassport][] = [
    // Made later, published sooner.
    [
      maker,
      'publishedFirst',
      { status: 'published', madeAt: '2025-03-01', publishedAt: '2025-03-02', product: { gtin: gtin.publishedFirst } },
    ],
    [
      seller,
      'publishedFirst',
      { status: 'published', madeAt: '2025-01-01', publishedAt: '2025-04-01', product: { gtin: gtin.publishedFirst } },
    ],
    [seller, 'drafted', { status: 'draft', madeAt: '2025-01-01', product: { gtin: gtin.drafted } }],
    [
      maker,
      'archived',
      { status: 'archived', madeAt: '2025-01-01', publishedAt: '2025-01-02', product: { gtin: gtin.archived } },
    ],
    [
      seller,
      'archived',
      { status: 'published', madeAt: '2025-02-01', publishedAt: '2025-02-02', product: { gtin: gtin.archived } },
    ],
    [seller, 'neverOpen', { status: 'archived', madeAt: '2024-01-01', product: { gtin: gtin.neverOpen } }],
    [
      maker,
      'neverOpen',
      { status: 'published', madeAt: '2025-01-01', publishedAt: '2025-01-02', product: { gtin: gtin.neverOpen } },
    ],
    // Its event is older than events are kept.
    [maker, 'beforeEvents', { status: 'published', madeAt: '2023-01-01', product: { gtin: gtin.beforeEvents } }],
    [
      seller,
      'beforeEvents',
      { status: 'published', madeAt: '2023-02-01', publishedAt: '2024-02-02', product: { gtin: gtin.beforeEvents } },
    ],
    [
      maker,
      'inAddress',
      {
        status: 'published',
        madeAt: '2025-01-01',
        publishedAt: '2025-01-02',
        product: { id: `https://id.maker.example/01/${gtin.inAddress}` },
      },
    ],
    [
      maker,
      'claimed',
      { status: 'claimed', madeAt: '2025-01-01', publishedAt: '2025-01-02', product: { gtin: gtin.claimed } },
    ],
    [
      maker,
      'wrong',
      { status: 'published', madeAt: '2025-01-01', publishedAt: '2025-01-02', product: { gtin: gtin.wrong } },
    ],
  ]
  for (const [shop, , passport] of rows) await insertOldPassport(db, shop, passport)
  const madeBy = (shop: OldShop) => rows.filter(([of]) => of === shop).length
  return { gtin, passports: { maker: madeBy(maker), seller: madeBy(seller) } }
}

export interface OldKey {
  id: string
  publicKey: Buffer
}

/** A certification key. Nothing here signs with it, so its sealed part is nothing. */
export async function insertOldKey(db: Knex, organization: string, values: object): Promise<OldKey> {
  const key = { id: randomUUID(), publicKey: randomBytes(32) }
  await db('certification_keys').insert({
    id: key.id,
    organization,
    public_key: key.publicKey,
    sealed: Buffer.from([0]),
    ...values,
  })
  return key
}

/** What networks knew of a key, and the operation that told it to them. */
export async function insertOldRecord(
  db: Knex,
  organization: string,
  { id, publicKey }: OldKey,
  { kind, network, status, compromisedAt }: { kind: string; network: string; status: string; compromisedAt?: string },
): Promise<void> {
  const key = `0x${publicKey.toString('hex')}`
  await db('chain_operations').insert({
    id: `${kind}:${network}:${id}`,
    organization,
    network,
    kind,
    job: randomUUID(),
    status,
    content: kind === 'revokeKey' ? { key, compromisedAt } : { key },
  })
}
