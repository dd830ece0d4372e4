import { answerBytes, type Answer } from '../../kernel/answer.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { string } from '../../kernel/schema.ts'

/** What an address names by a hash of its content never changes. Source: RFC 8246. */
export const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** A picture does nothing by itself, also where a browser opens it alone. */
export const picturePolicy = { 'Content-Security-Policy': "default-src 'none'; sandbox" }

/** The part of an address that names one size of a picture. */
export const sizeName = string('SHA-256 of the picture in hexadecimal, with its ending.', {
  pattern: '^[0-9a-f]{64}[.]webp$',
})

/** Returns the hash in the name of a size. */
export const getSizeHash = (name: string): string => name.replace('.webp', '')

/** Answers one size of a picture. @throws NOT_FOUND if there is none */
export function answerSize(picture: Buffer | null): Answer {
  if (!picture) throw createNotFoundProblem()
  return answerBytes(picture, 'image/webp', { ...picturePolicy, ...immutable })
}
