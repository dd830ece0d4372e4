import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { readFormFile } from '../../../../core/http/body/upload.form.ts'
import { createProblem, type ProblemError } from '../../../../core/kernel/problem.ts'
import type { UploadedFile } from '../../../../core/kernel/upload.ts'

const boundary = 'test-boundary'

/** A part of a form, as it is sent: its headers, an empty line, its content. */
const formatPart = (headers: readonly string[], content: string) =>
  `--${boundary}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${content}\r\n`

const disposition = 'Content-Disposition: form-data; name="file"; filename="A.csv"'

/** Sends a form in pieces of so many bytes. */
async function* send(form: string, pieceBytes = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(form)
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Reads the file of a form of these parts, with its content as text. */
async function read(parts: readonly string[], pieceBytes?: number) {
  const form = `${parts.join('')}--${boundary}--\r\n`
  const file = await readFormFile(`multipart/form-data; boundary=${boundary}`, send(form, pieceBytes))
  if (!file) return null
  const { bytes, ...head } = file
  return { ...head, content: (await buffer(bytes)).toString() }
}

const refuse = (reading: Promise<unknown>) =>
  reading.catch(({ code, detail, errors }: ProblemError) => `${code} ${errors?.[0]?.path} ${detail}`)

describe('multipart/form-data: the file of a form', () => {
  it('is read with its name, type and charset', async () => {
    expect(await read([formatPart([disposition, 'Content-Type: Text/CSV; charset="UTF-16LE"'], 'a,b')])).to.deep.equal({
      name: 'A.csv',
      type: 'text/csv',
      charset: 'utf-16le',
      content: 'a,b',
    })
  })

  it('has a charset in the head of its part only, whatever its content says', async () => {
    const content = 'x\r\nContent-Type: text/csv; charset=latin1\r\n\r\ny'
    for (const headers of [[disposition], [disposition, 'Content-Type: text/csv']])
      for (const pieceBytes of [1, 1_000])
        expect(await read([formatPart(headers, content)], pieceBytes)).to.include({ charset: null, content })
  })

  it('may have no name, and is none where no file was chosen or the form is empty', async () => {
    expect(await read([formatPart(['Content-Disposition: form-data; name="file"'], 'a')])).to.include({
      name: null,
      content: 'a',
    })
    expect(await read([formatPart(['Content-Disposition: form-data; name="file"; filename=""'], '')])).to.equal(null)
    expect(await read([])).to.equal(null)
  })

  it('is refused with another part, without its end, and without a boundary', async () => {
    const part = formatPart([disposition], 'a')
    expect(await refuse(read([part, part]))).to.match(/^INVALID_REQUEST body The form has more than one part/)
    const cut = readFormFile(`multipart/form-data; boundary=${boundary}`, send(part)).then(
      async (file) => file && buffer(file.bytes),
    )
    expect(await refuse(cut)).to.equal('INVALID_REQUEST body The form is not well-formed.')
    expect(await refuse(readFormFile('multipart/form-data', send(part)))).to.equal(
      'INVALID_REQUEST body The form names no boundary.',
    )
  })

  it('fails with its bytes, before the file and inside it', async () => {
    const form = formatPart([disposition], 'a'.repeat(100))
    for (const sentBytes of [0, 20, form.length - 50]) {
      const breakOff = async function* () {
        yield Buffer.from(form.slice(0, sentBytes))
        throw createProblem('INVALID_REQUEST', 'The body ended early.', { path: 'body' })
      }
      const reading = readFormFile(`multipart/form-data; boundary=${boundary}`, breakOff()).then(
        async (file) => file && buffer(file.bytes),
      )
      expect(await refuse(reading), `${sentBytes}`).to.equal('INVALID_REQUEST body The body ended early.')
    }
  })

  it('is refused to its reader also where the form broke off before the reader came', async () => {
    const form = formatPart([disposition], 'a')
    const file = await readFormFile(`multipart/form-data; boundary=${boundary}`, send(form))
    await setImmediate()
    expect(await refuse(buffer((file as UploadedFile).bytes))).to.equal(
      'INVALID_REQUEST body The form is not well-formed.',
    )
  })

  it('ends the reading of a form that is refused, whose file was not chosen, or whose file is not wanted', async () => {
    const unchosen = 'Content-Disposition: form-data; name="file"; filename=""'
    for (const [form, consume] of [
      [formatPart([disposition], 'a') + formatPart([disposition], 'b'), (file: UploadedFile) => buffer(file.bytes)],
      [formatPart([disposition], 'a') + formatPart([disposition], 'b'), undefined],
      [formatPart([unchosen], ''), undefined],
      [
        formatPart([disposition], 'a'.repeat(100_000)),
        async ({ bytes }: UploadedFile) => {
          for await (const _ of bytes) break
        },
      ],
    ] as const) {
      const stopped = Promise.withResolvers<void>()
      const sendForEver = async function* () {
        try {
          for (yield Buffer.from(form); ;) {
            await setImmediate()
            yield Buffer.from('x'.repeat(100))
          }
        } finally {
          stopped.resolve()
        }
      }
      const reading = readFormFile(`multipart/form-data; boundary=${boundary}`, sendForEver())
      await reading.then(async (file) => void (file && (await consume?.(file)))).catch(() => undefined)
      await stopped.promise
    }
  })
})
