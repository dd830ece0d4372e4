import { createHash } from 'node:crypto'
import type { CardContent } from '../content.ts'
import type { AppleCredentials } from '../credentials.ts'
import { createPacker, type ArchivedFile } from './archive.ts'
import { writePass, type PassAddress } from './pass.ts'
import { createSigner } from './signing/signature.ts'

/** The media type of a pass. Source: Apple, "Distributing and updating a pass". */
export const passType = 'application/vnd.apple.pkpass'

/** Makes passes of one application: files that a phone takes. */
export type Press = (content: CardContent, address: PassAddress) => Promise<Buffer>

/** The manifest has hashes of this kind. Source: Apple, "Building a Pass". */
const hash = (body: string | Buffer): string => createHash('sha1').update(body).digest('hex')

/** Creates what makes the passes of one application. All that is the same in all of them is prepared once. */
export function createPress(
  credentials: AppleCredentials,
  pictures: readonly ArchivedFile[],
  now: () => Date = () => new Date(),
): Press {
  const sign = createSigner(credentials)
  const pack = createPacker(pictures)
  const hashes = Object.fromEntries(pictures.map(({ name, body }) => [name, hash(body)]))
  return async (content, address) => {
    const pass = Buffer.from(writePass(content, credentials, address))
    const manifest = Buffer.from(JSON.stringify({ ...hashes, 'pass.json': hash(pass) }))
    return pack([
      { name: 'pass.json', body: pass },
      { name: 'manifest.json', body: manifest },
      { name: 'signature', body: await sign(manifest, now()) },
    ])
  }
}
