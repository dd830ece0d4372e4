import { hash } from 'node:crypto'
import { expect } from 'chai'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { contexts } from '@digitalbazaar/credentials-context'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { untpContext, untpContextAddress } from '../../support/values/untp.ts'
import { batchSize, openCertifier, strikeCertifier, createWholeBatch, type Certifier } from '../stage/certificates.ts'

type Vc = { proof: { verificationMethod: string }; issuer: { id: string }; '@context': string[] }

/** The organization wants the third form, and the context that it needs is kept. */
async function enable({ database, platform: { organization } }: Certifier): Promise<void> {
  const body = JSON.stringify(untpContext)
  await database.query('insert into credential_contexts (sha256, body, address) values ($1, $2, $3)', [
    hash('sha256', body, 'hex'),
    body,
    untpContextAddress,
  ])
  await database.query(
    "insert into certification_settings (organization, cryptosuites) values ($1, '{eddsa-rdfc-2022}')",
    [organization],
  )
}

async function verifies({ database }: Certifier, { proof, ...document }: Vc): Promise<boolean> {
  const { rows } = await database.query<{ sha256: string; body: string }>(
    'select sha256, body from credential_contexts',
  )
  const known = (url: string): unknown => {
    if (url === untpContextAddress) return untpContext
    const own = rows.find(({ sha256 }) => url.endsWith(sha256))
    const [, multikey] = url.split('#')
    if (own) return JSON.parse(own.body)
    return (
      contexts.get(url) ?? {
        '@context': 'https://w3id.org/security/multikey/v1',
        id: url,
        type: 'Multikey',
        controller: document.issuer.id,
        publicKeyMultibase: multikey,
      }
    )
  }
  const documentLoader = async (url: string) => ({ contextUrl: null, documentUrl: url, document: known(url) })
  return (await new DataIntegrityProof({ cryptosuite }).verifyProof({ proof, document, documentLoader })).verified
}

describe('Certify job with the cryptosuite eddsa-rdfc-2022: a kill while the third form is added', () => {
  let certifier: Certifier
  before(async () => {
    certifier = await openCertifier()
    await enable(certifier)
  })
  after(() => certifier.stop())

  for (const nth of [1, 3]) {
    it(`leaves each passport with the form once after a kill behind chunk ${nth}`, async () => {
      expect(
        (await strikeCertifier(certifier, { point: 'certify.expanded', nth, process: 'worker' })).found,
      ).to.deep.equal(createWholeBatch(batchSize))
      const { rows } = await certifier.database.query<{ ld: Buffer; rdfc: Buffer | null }>(
        'select ld, rdfc from passport_credentials order by created_at desc limit $1',
        [batchSize],
      )
      const sample = rows.filter((_, at) => at % 100 === 0)
      for (const { ld, rdfc } of sample) {
        const { proof: _, ...usual } = JSON.parse(String(ld)) as Vc
        const third = JSON.parse(String(rdfc)) as Vc
        const { proof: __, ...said } = third
        expect({ ...said, '@context': said['@context'].slice(0, -1) }).to.deep.equal(usual)
        expect(await verifies(certifier, third)).to.equal(true)
      }
      expect(rows.filter(({ rdfc }) => rdfc === null || rdfc.length === 0)).to.deep.equal([])
    })
  }
}).timeout(600_000)
