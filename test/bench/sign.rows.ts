import { sign, generateKeyPairSync } from 'node:crypto'
import { contextOf } from '../../core/context.ts'
import { credentialOf, withStatus, withStatuses } from '../../core/features/certification/credential.ts'
import { issueCredentials, type Subject } from '../../core/features/certification/index.ts'
import { signJwt } from '../../core/features/certification/jose.ts'
import { withProof, type Signer } from '../../core/features/certification/proofs.ts'
import { newId } from '../../core/database/model.ts'
import { readSettings } from '../../core/settings.ts'
import { untpItem } from '../support/untp.ts'
import { least, median, ratio, told, type Figure } from './figures.ts'
import type { Stand } from './stand.ts'

const runs = 3
/** Passports that a certify job signs in one transaction at the most. */
const chunk = 500

/** Data that makes a credential one of 3 kB. */
const data = Object.fromEntries(Array.from({ length: 34 }, (_, at) => [`value${at}`, `of the certified member ${at}, text`]))
const contentOf = (serial: string) => ({ product: untpItem(serial), data })

const { privateKey } = generateKeyPairSync('ed25519')
const signer: Signer = { verificationMethod: `did:key:z${'6'.repeat(47)}#z${'6'.repeat(47)}`, sign: (bytes) => sign(null, bytes, privateKey) }

/** Both forms of a credential beside the signature alone, and as a certify job issues them, in one thread. */
export async function signRow(stand: Stand): Promise<Figure[]> {
  const most = stand.options.quick ? 500 : 5_000
  const bytes = Buffer.alloc(64, 1)
  const [bare, both]: [number[], number[]] = [[], []]
  let size = 0
  for (let run = 0; run < runs; run++) {
    bare.push(await rate(most * 5, () => sign(null, bytes, privateKey)))
    both.push(await rate(most, async () => { size = await signBoth() }))
  }
  const baseline = { name: 'Ed25519 of node:crypto', value: median(bare) }
  const what = `both forms of a credential of ${(size / 1000).toFixed(1)} kB`
  return [
    ratio({ row: 'sign', what, unit: 'credentials/s', baseline, ours: median(both), target: least(0.15) }),
    told({ row: 'sign', what: 'the same with content hash, CID, context and places in status lists, 500 a transaction', unit: 'credentials/s', baseline, ours: await issueRate(stand) }),
  ]
}

async function rate(times: number, work: () => unknown): Promise<number> {
  for (let warm = 0; warm < times / 10; warm++) await work()
  const began = performance.now()
  for (let turn = 0; turn < times; turn++) await work()
  return (times * 1_000) / (performance.now() - began)
}

async function signBoth(): Promise<number> {
  const validFrom = new Date()
  const credential = credentialOf(contentOf('0001'), {
    id: 'https://dpp.example.com/v1/dpp/passports/018f3f6e-7b1a-7c3d-9e2f-0123456789ab/vc.jsonld', subject: 'https://dpp.example.com/p/1',
    issuer: { id: 'did:key:z', name: 'Brand' }, validFrom, context: `https://dpp.example.com/v1/dpp/contexts/${'0'.repeat(64)}`,
  })
  const place = { revocation: 'https://dpp.example.com/v1/dpp/status-lists/1', keys: 'https://a.example/keys', suspension: 'https://dpp.example.com/v1/dpp/status-lists/2', index: 1 }
  const text = JSON.stringify(await withProof(withStatuses(credential, place), signer, validFrom))
  signJwt(withStatus(credential, place), signer)
  return Buffer.byteLength(text)
}

/** In transactions that are undone. */
async function issueRate({ env, facts, options: { quick } }: Stand): Promise<number> {
  const { context, close } = await contextOf(readSettings(env), 'bench')
  const subjects = Array.from({ length: chunk }, (_, at): Subject => ({ passport: newId(), content: contentOf(String(at)) }))
  const rates: number[] = []
  try {
    for (let run = 0; run < (quick ? 2 : 6); run++) {
      const trx = await context.db.transaction()
      const began = performance.now()
      await issueCredentials(trx, context, facts.organization, subjects)
      rates.push((chunk * 1_000) / (performance.now() - began))
      await trx.rollback()
    }
  } finally {
    await close()
  }
  return median(rates.slice(1))
}
