import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import {
  certifyPassport,
  readForms,
  moveToDomain,
  createProductBody,
  createSheetBody,
  restartServer,
  rotateKey,
  saveEvidence,
  startEvidence,
  type Evidence,
  type CredentialForms,
} from './evidence.ts'
import { verifyOffline } from './offline.ts'
import { decodeStrictly, parseStrictly } from './strict.ts'

const schema = JSON.parse(readFileSync(new URL('./untp-dpp-0.7.0.schema.json', import.meta.url), 'utf8')) as object

function listSchemaErrors(credential: object) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const valid = ajv.compile(schema)
  return valid(credential) ? [] : (valid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const payloadOf = (jwt: Buffer) => parseStrictly(decodeStrictly(jwt.toString('latin1').split('.')[1] ?? ''))

describe('Credentials checked offline by independent verifiers', function () {
  this.timeout(120_000)
  let evidence: Evidence
  let ids: string[]
  let first: CredentialForms[]
  let peer: string

  before(async () => {
    evidence = await startEvidence()
    peer = new URL(evidence.platform.api).host
    ids = [
      await certifyPassport(evidence, createProductBody(evidence.platform.application)),
      await certifyPassport(evidence, await createSheetBody(evidence)),
    ]
    first = await Promise.all(ids.map((id) => readForms(evidence, id)))
    for (const [at, forms] of first.entries()) await saveEvidence(evidence, `first-${at}`, forms)
  })
  after(() => evidence.stop())

  const allVerify = async (count: number) => {
    const { how, verdicts } = await verifyOffline(evidence.folder, peer)
    expect(verdicts, how).to.have.length(count)
    expect(
      verdicts.filter(({ error }) => error !== null),
      how,
    ).to.deep.equal([])
  }
  const unchanged = async () => {
    for (const [at, id] of ids.entries()) {
      const { ld, jwt } = await readForms(evidence, id)
      expect(ld.equals(first[at]?.ld ?? ld.subarray(1))).to.equal(true)
      expect(jwt.equals(first[at]?.jwt ?? jwt.subarray(1))).to.equal(true)
    }
  }

  it('verify in both forms, of both flows', () => allVerify(4))

  it('say the same in both forms', () => {
    for (const { ld, jwt } of first) {
      const { proof: _, credentialStatus: both, ...embedded } = parseStrictly(ld)
      const { credentialStatus: one, ...token } = payloadOf(jwt)
      expect(token).to.deep.equal(embedded)
      const [revocation] = both as { statusListIndex: string }[]
      expect(one).to.deep.equal({ ...revocation, statusListIndex: Number(revocation?.statusListIndex) })
    }
  })

  it('are as the schema of UNTP wants them, the embedded form but for its status', () => {
    const [{ ld, jwt } = { ld: Buffer.alloc(0), jwt: Buffer.alloc(0) }] = first
    expect(listSchemaErrors(payloadOf(jwt))).to.deep.equal([])
    const embedded = parseStrictly(ld)
    expect(listSchemaErrors(embedded).filter((error) => !error.startsWith('/credentialStatus '))).to.deep.equal([])
    const [revocation] = embedded['credentialStatus'] as { statusListIndex: string }[]
    expect(
      listSchemaErrors({
        ...embedded,
        credentialStatus: { ...revocation, statusListIndex: Number(revocation?.statusListIndex) },
      }),
    ).to.deep.equal([])
  })

  it('are the same bytes after the API started anew, and after its key was rotated twice', async () => {
    await restartServer(evidence)
    await unchanged()
    await rotateKey(evidence)
    await rotateKey(evidence)
    await unchanged()
    const later = await certifyPassport(evidence, createProductBody(evidence.platform.application))
    await saveEvidence(evidence, 'later', await readForms(evidence, later))
    await allVerify(6)
  })

  it('verify with the saved document of a domain that they were signed under', async () => {
    await moveToDomain(evidence, 'brand.example')
    const forms = await readForms(
      evidence,
      await certifyPassport(evidence, createProductBody(evidence.platform.application)),
    )
    expect(parseStrictly(forms.ld)['issuer']).to.include({ id: 'did:web:brand.example' })
    await saveEvidence(evidence, 'domain', forms)
    await allVerify(8)
  })

  it('do not need us', async () => {
    await evidence.platform.stop()
    await allVerify(8)
  })
})
