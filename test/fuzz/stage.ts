import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { client, type Client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import {
  enablePhones,
  newApplication,
  newEmail,
  newMember,
  operator,
  signInBuyer,
  signInMember,
} from '../core/identity/people.ts'
import { newImport, newMapper } from '../core/imports/intake.maker.ts'
import {
  ended,
  newPassport,
  newPublished,
  newSerial,
  newSheet,
  newShop,
  type Shop,
} from '../core/passports/fixtures.ts'
import { newGtin, opened } from '../core/resolver/gtins.ts'
import { credentialOf } from '../access/cast.ts'
import { endsSession, type Call, type Who } from './calls.ts'

/** An organization of the test's own, with something of everything that a path can name. */
export interface Stage {
  shop: Shop
  /** Makes anew what writes may have spoiled. */
  refresh(): Promise<void>
  /** A text with the names in double braces filled in. */
  fill(text: string, call: Call): string
  clientFor(call: Call): Client
  /** Texts that no answer may hold, and texts that no answer to strangers may hold. */
  secrets: readonly string[]
  personal: readonly string[]
}

/** A mapper of items, as the samples of bodies go through. */
const items = { format: 'json', rows: [{ destination: 'reference', kind: 'field', source: '$.reference' }] }

const token = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1)

/** A GTIN that another organization has published. */
async function gtinOfAnother(): Promise<string> {
  const gtin = newGtin()
  await opened(await newShop(), { idGranularity: 'model', modelNumber: gtin, gtin })
  return gtin
}

export async function openStage(): Promise<Stage> {
  const shop = await newShop()
  const { organization, application, api } = shop
  await enablePhones(organization)
  const email = newEmail('fuzz-buyer')
  const member = newEmail('fuzz-member')
  const [claim, spare] = [await signInBuyer(application, email), await signInBuyer(application)]
  const buyer = client({ bearer: String(claim.body['token']) })
  const memberCookie = await signInMember(await newMember(organization, 'owner'), organization)
  const sheet = await newSheet(shop)
  const mint = await api.post(`/v1/dpp/products/${sheet}/mint`, [
    { serialNumber: newSerial() },
    { serialNumber: newSerial() },
  ])
  await ended(api, `/v1/jobs/${mint.body['jobId']}`)
  const claimed = await newPublished(shop, sheet, { allowedClaimEmail: email })
  const started = await buyer.post('/v1/dpp/claim', { passport: claimed.id })
  await ended(buyer, `/v1/jobs/${started.body['jobId']}`)
  const published = await newPublished(shop, sheet, { allowedClaimEmail: member })
  const certified = await credentialOf(shop)
  const fixed: Record<string, string> = {
    certified: certified.passport,
    context: certified.context,
    statusList: certified.list,
    organization,
    application,
    sheet,
    published: published.id,
    mintJob: String(mint.body['jobId']),
    claimJob: String(started.body['jobId']),
    mapper: await newMapper(shop, items),
    import: await newImport(shop),
    gtin: await gtinOfAnother(),
    issuer: String((await api.get('/v1/dpp/certification-key')).body['did']),
  }
  const refresh = async () => {
    fixed['spareApplication'] = await newApplication(organization)
    fixed['spareSheet'] = await newSheet(shop)
    fixed['spareMapper'] = await newMapper(shop, items)
    fixed['draft'] = (await newPassport(shop, sheet)).id
    fixed['certificationKey'] = String((await api.get('/v1/dpp/certification-key')).body['id'])
  }
  await refresh()
  await newImport(shop)
  const clients: Record<Who, Client> = {
    nobody: client(),
    key: api,
    buyer,
    member: client({ bearer: token(memberCookie) }),
  }
  const cursors = await readCursors(api)
  return {
    shop,
    refresh,
    fill: (text, call) => fillIn(text, fixed, cursors.get(listOf(call)) ?? ''),
    clientFor: (call) => (endsSession(call) ? client({ bearer: String(spare.body['token']) }) : clients[call.as]),
    secrets: [
      ...platformSecrets(),
      shop.key,
      token(memberCookie),
      String(claim.body['token']),
      String(spare.body['token']),
    ],
    personal: [email, member, shop.owner],
  }
}

let count = 0

function fillIn(text: string, fixed: Record<string, string>, fingerprint: string): string {
  return text.replace(/\{\{(\w+)(?::([\w-]*))?\}\}/g, (whole, name: string, more?: string) => {
    if (Object.hasOwn(fixed, name)) return fixed[name] ?? whole
    if (name === 'serial') return newSerial()
    if (name === 'slug') return `fuzz-${process.pid}-${Date.now().toString(36)}-${count++}`
    if (name === 'email') return newEmail('fuzz')
    if (name === 'phone') return `333${String(1_000_000 + ((count++ + process.pid * 977) % 8_999_999))}`
    return name === 'cursor' ? cursorOf(fingerprint, more ?? '') : whole
  })
}

/** A cursor with the fingerprint of a real one and other values. What was cut in the middle is sent as it is. */
function cursorOf(fingerprint: string, encoded: string): string {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(encoded, 'base64url').toString())
  } catch {
    return encoded
  }
  return Buffer.from(JSON.stringify([fingerprint, ...(values as unknown[])]))
    .toString('base64url')
    .slice(0, 4_000)
}

const listOf = ({ target }: Call) => target.path.replace(/\/publish$/, '')

/** What the cursors of each list begin with. */
async function readCursors(api: Client): Promise<ReadonlyMap<string, string>> {
  const paths = ['/v1/imports', '/v1/import/mappers', '/v1/applications', '/v1/dpp/passports', '/v1/dpp/products', '/v1/events']
  const found = await Promise.all(
    paths.map(async (path) => {
      const { body } = await api.get(`${path}?pageSize=1`)
      const values = JSON.parse(Buffer.from(String(body['nextCursor']), 'base64url').toString()) as string[]
      return [path, String(values[0])] as const
    }),
  )
  return new Map(found)
}

/** The secrets that a platform of ours makes for itself. */
function platformSecrets(): string[] {
  return ['secrets.json', 'postgres.json'].flatMap((name) =>
    Object.entries(JSON.parse(readFileSync(join(platform.dataDir, name), 'utf8')) as Record<string, string>)
      .filter(([key]) => key !== 'id')
      .map(([, value]) => value),
  )
}

/**
 * What is stored of an organization, as one word: everything a request can write. What jobs change later is left out,
 * as are the jobs that they start, and the records of what happened.
 */
export async function stored(organization: string): Promise<string> {
  const { db } = await operator()
  const { rows } = await db.raw<{ rows: { word: string }[] }>(storedSql, { organization })
  return rows[0]?.word ?? ''
}

const storedSql = `
  select concat_ws(' ',
    (select concat(count(*), md5(string_agg(t::text, '' order by id))) from applications t
      where organization = :organization),
    (select concat(count(*), md5(string_agg(t::text, '' order by id))) from sheets t
      where organization = :organization),
    (select concat(count(*), md5(string_agg(concat(id, sheet, reference, fields, certified_paths, certificate_uri,
      allowed_claim_email, allowed_claim_phone_number), '' order by id))) from passports t
      where organization = :organization),
    (select concat(count(*), md5(string_agg(t::text, ''))) from did_web_domains t where organization = :organization),
    (select count(*) from certification_keys t where organization = :organization),
    (select count(*) from imports t where organization = :organization and name = 'batch'),
    (select count(*) from import_uploads t where organization = :organization and job is null),
    (select concat(count(*), md5(string_agg(concat(id, name, type, url, schedule, rows), '' order by id)))
      from import_mappers t where organization = :organization),
    (select count(*) from jobs t
      where organization = :organization and type not in ('structure', 'rotate', 'import'))) as word`

/** Jobs of an organization that have not ended. */
export async function pending(organization: string): Promise<number> {
  const { db } = await operator()
  const rows = await db('jobs').where({ organization, status: 'pending' }).count<{ count: number }[]>({ count: '*' })
  return Number(rows[0]?.count)
}
