import { expect } from 'chai'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { contexts } from '@digitalbazaar/credentials-context'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { createApiClient } from '../../support/client.ts'
import { enableRdfForm } from '../../support/rows/certification/rdf-forms.ts'
import { listNewestForms } from '../../support/rows/dpp/certified-passports.ts'
import { untpContext, untpContextAddress } from '../../support/values/untp.ts'
import { batchSize, openCertifier, strikeCertifier, createWholeBatch, type Certifier } from '../stage/certificates.ts'

type Vc = { proof: { verificationMethod: string }; issuer: { id: string }; '@context': string[] }

async function verifies({ platform: { api } }: Certifier, { proof, ...document }: Vc): Promise<boolean> {
  const known = async (url: string): Promise<unknown> => {
    if (url === untpContextAddress) return untpContext
    const [ownPath] = /\/v1\/dpp\/contexts\/[0-9a-f]{64}$/.exec(url) ?? []
    if (ownPath !== undefined) return JSON.parse((await createApiClient({}, api).get(ownPath)).text)
    const [, multikey] = url.split('#')
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
  const documentLoader = async (url: string) => ({ contextUrl: null, documentUrl: url, document: await known(url) })
  return (await new DataIntegrityProof({ cryptosuite }).verifyProof({ proof, document, documentLoader })).verified
}

describe('Certify job with the cryptosuite eddsa-rdfc-2022: a kill while the third form is added', () => {
  let certifier: Certifier
  before(async () => {
    certifier = await openCertifier()
    const { db, platform } = certifier
    await enableRdfForm(db, platform.organization, { address: untpContextAddress, document: untpContext })
  })
  after(() => certifier.stop())

  for (const nth of [1, 3]) {
    it(`leaves each passport with the form once after a kill behind chunk ${nth}`, async () => {
      expect(
        (await strikeCertifier(certifier, { point: 'certify.expanded', nth, process: 'worker' })).found,
      ).to.deep.equal(createWholeBatch(batchSize))
      const rows = await listNewestForms(certifier.db, batchSize)
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
