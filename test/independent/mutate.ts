import { verifyEmbedded, verifyToken, type SavedDocuments } from './verify.ts'

/** Another value for a byte, one that a lenient reader is most likely to take for the same. */
type Change = (byte: number) => number

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const isLetter = (byte: number) => /[A-Za-z]/.test(String.fromCharCode(byte))

/** In JSON: a letter in its other case, else the neighbour in the code. */
export const changeTextByte: Change = (byte) => (isLetter(byte) ? byte ^ 0x20 : byte ^ 0x01)

/** In base64url: the next letter of its alphabet, which may differ in bits that say nothing. */
export const changeTokenByte: Change = (byte) => {
  const at = alphabet.indexOf(String.fromCharCode(byte))
  return at === -1 ? byte ^ 0x01 : alphabet.charCodeAt((at + 1) % alphabet.length)
}

/** What lenient readers skip or trim, whatever it stands for. */
export const changeSpace: Change = (byte) => (byte === 0x20 ? 0x09 : 0x20)

export interface MutationSurvivors {
  tried: number
  survivors: number[]
}

/** Replaces each byte in turn, and names those whose change nobody notices. */
export async function mutateBytes(
  bytes: Buffer,
  form: 'ld' | 'jwt',
  saved: SavedDocuments,
  change: Change,
): Promise<MutationSurvivors> {
  const survivors: number[] = []
  let tried = 0
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = change(bytes[at] ?? 0)
    if (changed.equals(bytes)) throw new Error(`byte ${at} is not changed`)
    tried++
    const verified = form === 'jwt' ? verifyToken(changed.toString('latin1'), saved) : verifyEmbedded(changed, saved)
    if (
      await verified.then(
        () => true,
        () => false,
      )
    )
      survivors.push(at)
  }
  return { tried, survivors }
}
