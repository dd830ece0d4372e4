import { mkdtempSync, mkdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createApiClient, type Answer, type Client } from '../support/client.ts'
import { waitUntil } from '../support/processes.ts'
import { startPlatform, type OwnPlatform } from '../support/own-platform.ts'
import type { PlatformUnderTest } from '../support/platform.ts'
import { createAuthority, createCertificate, startSecureServer } from '../support/network/tls.ts'
import { createUntpItem } from '../support/values/untp.ts'
import { parseStrictly } from './strict.ts'
import type { SavedDocuments } from './verify.ts'

/** Where credentials are made. */
export interface EvidenceMaker {
  platform: Pick<PlatformUnderTest, 'api' | 'application'>
  api: Client
}

/** A platform of its own, and a folder for what a verifier saves of its credentials. */
export interface Evidence extends EvidenceMaker {
  platform: OwnPlatform
  folder: string
  stop(): Promise<void>
}

/** The one domain that is served here. */
export const brandDomain = 'brand.example'

export async function startEvidence(): Promise<Evidence> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-evidence-'))
  for (const name of ['lists', 'dids']) mkdirSync(join(folder, name))
  const ca = await createAuthority()
  writeFileSync(join(folder, 'ca.pem'), ca.cert)
  const hosting = await startSecureServer(await createCertificate(ca, [brandDomain]), (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/did+json' })
      .end(readFileSync(join(folder, 'dids', `${brandDomain}.json`)))
  })
  const platform = await startPlatform({
    env: {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      OUTBOUND_ALLOW: brandDomain,
      OUTBOUND_RESOLVE: `${brandDomain}=127.0.0.1:${hosting.port}`,
    },
  })
  return {
    platform,
    folder,
    api: createApiClient(platform.apiKey, platform.api),
    async stop() {
      await platform.stop()
      await hosting.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let serial = 0

/** A product object with everything that UNTP demands, some data, and what of it is certified. */
export const createProductBody = (application: string) => ({
  application,
  product: createUntpItem(`IND-${process.pid}-${++serial}`),
  data: { color: 'red', origin: { country: 'FR', plant: 'Lyon' }, parts: [{ kind: 'cell', count: 16 }] },
  certifiedPaths: ['color', 'origin.country', 'parts'],
})

/** A sheet whose passports are certified by their serial number. @returns a passport to create */
export async function createSheetBody({ api, platform: { application } }: EvidenceMaker) {
  const sheet = await api.post('/v1/dpp/products', {
    application,
    network: 'EthereumAnvil',
    name: 'Bag',
    status: 'ACTIVE',
    certifiedPaths: ['serialNumber', 'brand'],
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
    productFields: [{ name: 'brand', type: 'string' }],
    fields: { brand: 'Ours' },
  })
  expect(sheet.status, sheet.text).to.equal(201)
  return { product: String(sheet.body.id), fields: { serialNumber: 'S-1' } }
}

/** A passport, published and certified. @returns its id */
export async function certifyPassport({ api }: EvidenceMaker, body: object): Promise<string> {
  const made = await api.post('/v1/dpp/passports', body)
  expect(made.status, made.text).to.equal(201)
  const id = String(made.body.id)
  const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  await waitUntil(
    'the passport is certified',
    async () => ((await api.get(`/v1/dpp/passports/${id}`)).body.certificationStatus as unknown) === 'certified',
    30_000,
  )
  return id
}

const at = (id: string) => `/v1/dpp/passports/${id}/vc.jsonld`
const form = async ({ platform }: EvidenceMaker, path: string, accept: string) => {
  const answer = await createApiClient({}, platform.api).get(path, { headers: { accept } })
  expect(answer.status, answer.text).to.equal(200)
  expect(answer.headers['content-type']).to.equal(accept)
  return answer.bytes
}

export interface CredentialForms {
  ld: Buffer
  jwt: Buffer
}

/** Both forms as anybody gets them. */
export const readForms = async (evidence: EvidenceMaker, id: string): Promise<CredentialForms> => ({
  ld: await form(evidence, at(id), 'application/ld+json'),
  jwt: await form(evidence, at(id), 'application/vc+jwt'),
})

/** Saves both forms of a credential and the status lists that it names, as files. */
export async function saveEvidence(evidence: Evidence, name: string, { ld, jwt }: CredentialForms): Promise<void> {
  const { folder } = evidence
  writeFileSync(join(folder, `${name}.ld.json`), ld)
  writeFileSync(join(folder, `${name}.jwt`), jwt)
  for (const [address, list] of await readStatusLists(evidence, ld)) {
    writeFileSync(join(folder, 'lists', `${address.split('/').at(-1)}.json`), list)
  }
}

/** The status lists that a credential names, by their address. */
export async function readStatusLists(evidence: EvidenceMaker, ld: Buffer): Promise<Map<string, Buffer>> {
  const { credentialStatus } = parseStrictly(ld) as { credentialStatus: { statusListCredential: string }[] }
  const lists = credentialStatus.map(async ({ statusListCredential: address }): Promise<[string, Buffer]> => [
    address,
    await form(evidence, address.slice(evidence.platform.api.length), 'application/ld+json'),
  ])
  return new Map(await Promise.all(lists))
}

/** Puts the organization's identifier under a domain, and saves the document that the domain has to serve. */
export async function moveToDomain({ api, folder }: Evidence, domain: string): Promise<void> {
  const answer = await api.put('/v1/dpp/certification-key/did-web-config', { domain })
  expect(answer.status, answer.text).to.equal(200)
  writeFileSync(join(folder, 'dids', `${domain}.json`), JSON.stringify(answer.body.didDocument))
  const checked = await api.post('/v1/dpp/certification-key/did-web-config/verify')
  expect(checked.body, checked.text).to.include({ status: 'ok' })
}

/** What a verifier has at hand for a credential. */
export const createSaved = async (evidence: EvidenceMaker, ld: Buffer): Promise<SavedDocuments> => ({
  dids: new Map(),
  lists: await readStatusLists(evidence, ld),
})

/** Rotates the organization's key and waits until the new one signs. */
export async function rotateKey({ api }: Evidence): Promise<void> {
  const key = async () => (await api.get('/v1/dpp/certification-key')).body.kid as unknown
  const old = await key()
  const answer: Answer = await api.post('/v1/dpp/certification-key/rotate')
  expect(answer.status, answer.text).to.equal(200)
  await waitUntil('the new key signs', async () => (await key()) !== old, 30_000)
}

/** Ends the API's process as a power failure would; another one is started in its place. */
export async function restartServer({
  platform: {
    api,
    children: { server },
  },
}: Evidence): Promise<void> {
  const { pid } = server
  if (pid === undefined) throw new Error('the API does not run')
  process.kill(pid, 'SIGKILL')
  await waitUntil(
    'another process serves',
    async () =>
      server.pid !== undefined
      && server.pid !== pid
      && (await createApiClient({}, api)
        .get('/health/ready')
        .then(
          ({ status }) => status === 200,
          () => false,
        )),
    30_000,
  )
}
