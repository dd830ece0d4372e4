import { sign, generateKeyPairSync } from 'node:crypto'
import { createContext } from '../../../core/app/context.ts'
import {
  createCredential,
  addRevocationEntry,
  addStatusEntries,
} from '../../../core/features/certification/contexts/credential.ts'
import { issueCredentials, type CertificationSubject } from '../../../core/features/certification/index.ts'
import { signJwt } from '../../../core/features/certification/suites/jose.ts'
import { addProof, type CredentialSigner } from '../../../core/features/certification/suites/proofs.ts'
import { newId } from '../../../core/database/model.ts'
import { readSettings } from '../../../core/app/settings.ts'
import { createUntpItem } from '../../support/values/untp.ts'
import { atLeast, computeMedian, createRatioFigure, createInformativeFigure, type Figure } from '../figures.ts'
import type { BenchSetup } from '../bench-setup.ts'

const runCount = 3
/** The highest number of passports that a certify job signs in one transaction. */
const chunkSize = 500

/** Data that makes a credential about 3 kB large. */
const data = Object.fromEntries(
  Array.from({ length: 34 }, (_, at) => [`value${at}`, `of the certified member ${at}, text`]),
)
const createContent = (serial: string) => ({ product: createUntpItem(serial), data })

const { privateKey } = generateKeyPairSync('ed25519')
const signer: CredentialSigner = {
  verificationMethod: `did:key:z${'6'.repeat(47)}#z${'6'.repeat(47)}`,
  sign: (bytes) => sign(null, bytes, privateKey),
}

/**
 * Measures both forms of a credential next to the bare signature, and credentials as a certify job issues them, in one
 * thread.
 */
export async function measureSigning(stand: BenchSetup): Promise<Figure[]> {
  const credentialCount = stand.options.quick ? 500 : 5_000
  const bytes = Buffer.alloc(64, 1)
  const [bare, both]: [number[], number[]] = [[], []]
  let size = 0
  for (let run = 0; run < runCount; run++) {
    bare.push(await measureRate(credentialCount * 5, () => sign(null, bytes, privateKey)))
    both.push(
      await measureRate(credentialCount, async () => {
        size = await signBothForms()
      }),
    )
  }
  const baseline = { name: 'Ed25519 of node:crypto', value: computeMedian(bare) }
  const what = `both forms of a credential of ${(size / 1000).toFixed(1)} kB`
  return [
    createRatioFigure({
      row: 'sign',
      what,
      unit: 'credentials/s',
      baseline,
      ours: computeMedian(both),
      target: atLeast(0.15),
    }),
    createInformativeFigure({
      row: 'sign',
      what: 'the same with content hash, CID, context and places in status lists, 500 a transaction',
      unit: 'credentials/s',
      baseline,
      ours: await measureIssuing(stand),
    }),
  ]
}

async function measureRate(times: number, work: () => unknown): Promise<number> {
  for (let warm = 0; warm < times / 10; warm++) await work()
  const began = performance.now()
  for (let turn = 0; turn < times; turn++) await work()
  return (times * 1_000) / (performance.now() - began)
}

async function signBothForms(): Promise<number> {
  const validFrom = new Date()
  const credential = createCredential(createContent('0001'), {
    id: 'https://dpp.example.com/v1/dpp/passports/018f3f6e-7b1a-7c3d-9e2f-0123456789ab/vc.jsonld',
    subject: 'https://dpp.example.com/p/1',
    issuer: { id: 'did:key:z', name: 'Brand' },
    validFrom,
    context: `https://dpp.example.com/v1/dpp/contexts/${'0'.repeat(64)}`,
  })
  const place = {
    revocation: 'https://dpp.example.com/v1/dpp/status-lists/1',
    keys: 'https://a.example/keys',
    suspension: 'https://dpp.example.com/v1/dpp/status-lists/2',
    index: 1,
  }
  const text = JSON.stringify(await addProof(addStatusEntries(credential, place), signer, validFrom))
  signJwt(addRevocationEntry(credential, place), signer)
  return Buffer.byteLength(text)
}

/** Measures the issuing of credentials, in transactions that are rolled back. */
async function measureIssuing({ env, facts, options: { quick } }: BenchSetup): Promise<number> {
  const { context, close } = await createContext(readSettings(env), 'bench')
  const subjects = Array.from({ length: chunkSize }, (_, at): CertificationSubject => ({
    passport: newId(),
    content: createContent(String(at)),
  }))
  const rates: number[] = []
  try {
    for (let run = 0; run < (quick ? 2 : 6); run++) {
      const trx = await context.db.transaction()
      const began = performance.now()
      await issueCredentials(trx, context, facts.organization, subjects)
      rates.push((chunkSize * 1_000) / (performance.now() - began))
      await trx.rollback()
    }
  } finally {
    await close()
  }
  return computeMedian(rates.slice(1))
}
