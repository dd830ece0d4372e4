import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { parseCharset } from '../../kernel/text/charset.ts'
import { ProblemError, createProblem } from '../../kernel/problem.ts'
import type { UploadedFile } from '../../kernel/upload.ts'

const createFormProblem = (what: string, cause?: unknown) =>
  createProblem('INVALID_REQUEST', `The form ${what}.`, { path: 'body', cause })

/**
 * Reads the one file of a form, whatever its field is called. Returns null if the form has no file, or if no file was
 * chosen in its field. Source: RFC 7578; HTML, section 4.10.21.8. @throws INVALID_REQUEST if the form is malformed
 */
export async function readFormFile(contentType: string, bytes: AsyncIterable<Buffer>): Promise<UploadedFile | null> {
  const form = createFormParser(contentType)
  const partHead = new FormHead()
  const source = Readable.from(partHead.collectHead(bytes), { objectMode: false })
  const formEnd = Promise.withResolvers<null>()
  const fail = (cause: Error) =>
    formEnd.reject(cause instanceof ProblemError ? cause : createFormProblem('is not well-formed', cause))
  formEnd.promise.catch(() => source.destroy())
  source.once('error', fail)
  form.once('error', fail)
  form.once('finish', () => formEnd.resolve(null))
  form.once('filesLimit', () =>
    fail(createFormProblem('has more than one part: send one file, and all else in the query')),
  )
  const filePart = new Promise<UploadedFile>((resolve) => {
    form.once('file', (_field, file, name: string | undefined, _encoding, type) => {
      file.on('error', fail)
      formEnd.promise.catch(() => file.destroy())
      resolve({
        type,
        charset: partHead.charset,
        name: name ?? null,
        bytes: readFileContent(file, formEnd.promise, source),
      })
    })
  })
  source.pipe(form)
  const file = await Promise.race([filePart, formEnd.promise])
  if (file?.name !== '') return file
  source.destroy()
  return null
}

/** Maximum number of bytes that are searched for the head of the first part. */
const maxHeadBytes = 16 * 1024

/** The charset from the head of the first part, which the parser does not report. */
class FormHead {
  #head = ''

  async *collectHead(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      if (this.#head.length < maxHeadBytes) this.#head += chunk.toString('latin1', 0, maxHeadBytes - this.#head.length)
      yield chunk
    }
  }

  get charset(): string | null {
    const end = this.#head.indexOf('\r\n\r\n')
    const [, type] = /\r\ncontent-type:([^\r]*)/i.exec(end === -1 ? '' : this.#head.slice(0, end)) ?? []
    return parseCharset(type)
  }
}

function createFormParser(contentType: string): BusboyInstance {
  try {
    const headers: BusboyHeaders = { 'content-type': contentType }
    return new Busboy({ headers, limits: { files: 1, headerPairs: 20 }, isPartAFile: () => true })
  } catch (cause) {
    throw createFormProblem('names no boundary', cause)
  }
}

/** Reads the content of the file and then the rest of the form, which must not contain another file. */
async function* readFileContent(
  file: BusboyFileStream,
  formEnd: Promise<null>,
  source: Readable,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) yield chunk
    await formEnd
  } catch (cause) {
    // The first error explains more than the early end of the file that it caused.
    await Promise.race([formEnd, Promise.reject(cause)])
    throw cause
  } finally {
    source.destroy()
  }
}
