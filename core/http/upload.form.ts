import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { charsetOf } from '../kernel/charset.ts'
import { Problem, problem } from '../kernel/problem.ts'
import type { UploadedFile } from '../kernel/upload.ts'

const refuse = (what: string, cause?: unknown) => problem('INVALID_REQUEST', `The form ${what}.`, { path: 'body', cause })

/**
 * The one file of a form, whatever its field is called; null for a form without any, and for a field in which no file
 * was chosen. Source: RFC 7578; HTML, section 4.10.21.8. @throws INVALID_REQUEST for a form that is none
 */
export async function fileOfForm(contentType: string, bytes: AsyncIterable<Buffer>): Promise<UploadedFile | null> {
  const form = parserOf(contentType)
  const head = new FormHead()
  const source = Readable.from(head.watch(bytes), { objectMode: false })
  const whole = Promise.withResolvers<null>()
  const fail = (cause: Error) => whole.reject(cause instanceof Problem ? cause : refuse('is not well-formed', cause))
  whole.promise.catch(() => source.destroy())
  source.once('error', fail)
  form.once('error', fail)
  form.once('finish', () => whole.resolve(null))
  form.once('filesLimit', () => fail(refuse('has more than one part: send one file, and all else in the query')))
  const found = new Promise<UploadedFile>((resolve) => {
    form.once('file', (_field, file, name: string | undefined, _encoding, type) => {
      file.on('error', fail)
      whole.promise.catch(() => file.destroy())
      resolve({ type: type.toLowerCase(), charset: head.charset, name: name ?? null, bytes: contentOf(file, whole.promise, source) })
    })
  })
  source.pipe(form)
  const file = await Promise.race([found, whole.promise])
  if (file?.name !== '') return file
  source.destroy()
  return null
}

/** Bytes that are looked at for the head of the first part. */
const headBytes = 16 * 1024

/** What the head of the first part says of its encoding, which the parser does not tell. */
class FormHead {
  #head = ''

  async* watch(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      if (this.#head.length < headBytes) this.#head += chunk.toString('latin1', 0, headBytes - this.#head.length)
      yield chunk
    }
  }

  get charset(): string | null {
    const end = this.#head.indexOf('\r\n\r\n')
    const [, type] = /\r\ncontent-type:([^\r]*)/i.exec(end === -1 ? '' : this.#head.slice(0, end)) ?? []
    return charsetOf(type)
  }
}

function parserOf(contentType: string): BusboyInstance {
  try {
    const headers: BusboyHeaders = { 'content-type': contentType }
    return new Busboy({ headers, limits: { files: 1, headerPairs: 20 }, isPartAFile: () => true })
  } catch (cause) {
    throw refuse('names no boundary', cause)
  }
}

/** The content of the file, and then the rest of the form, which may have no other. */
async function* contentOf(file: BusboyFileStream, whole: Promise<null>, source: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) yield chunk
    await whole
  } catch (cause) {
    // What went wrong first says more than the end of the file that it caused.
    await Promise.race([whole, Promise.reject(cause)])
    throw cause
  } finally {
    source.destroy()
  }
}
