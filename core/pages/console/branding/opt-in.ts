import { isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { object, string } from '../../../kernel/schema.ts'
import type { ReceivedUpload, Upload, UploadedFile } from '../../../kernel/upload.ts'
import { formTypes, maxFormBytes, storeOptInForm, type FormType } from '../../../features/dpp/index.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage } from '../frame/frame.ts'
import { renderOne } from './branding.ts'
import { getOptInPath } from './opt-in.views.ts'
import { brandingPath } from './previews.ts'

/** More than a form may have, so that one that is too large is refused in a sentence on the page that sent it. */
const maxBodyBytes = 4 * maxFormBytes

const createFileProblem = (path: string, code: string, message: string): ProblemError =>
  createValidationProblem([{ path, code, message }])

const isFormType = (type: string | null): type is FormType => formTypes.some((each) => each === type)

/** Reads a file of at most the size of a form. @throws VALIDATION_FAILED as soon as there is more */
async function readBytes({ bytes }: UploadedFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxFormBytes) throw createFileProblem('content', 'too_large', `has more than ${maxFormBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Reads the form that a page sends as the body that the operation takes.
 * @throws VALIDATION_FAILED if there is no file, or if it is too large or of a type that no form has
 */
async function readUpload(upload: Upload, application: string) {
  const file = await upload.openFile()
  // A browser sends a file without a name and without bytes if none was chosen.
  if (!file || file.name === null || file.name === '') throw createFileProblem('content', 'missing_file', 'is missing')
  const { name: fileName, type: contentType } = file
  if (!isFormType(contentType))
    throw createFileProblem('contentType', 'file_type', `must be one of ${formTypes.join(', ')}`)
  return { application, fileName, contentType, content: (await readBytes(file)).toString('base64') }
}

type UploadResult = ReceivedUpload & { answer: Answer }
const received = (answer: Answer): UploadResult => ({
  digest: Buffer.alloc(0),
  discard: async () => undefined,
  answer,
})

/** Keeps a signed form like one that is sent to the API, and shows its address. The same file has the same address. */
const optInOperation = declareOperation({
  id: 'console_branding_opt_in_page_v1',
  method: 'POST',
  path: `${brandingPath}/:id/opt-in-form`,
  ...memberPageOptions,
  upload: {
    'multipart/form-data': object({ file: string('PNG, JPEG, WebP or PDF.', { contentEncoding: 'binary' }) }),
  },
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  document: { tag: 'Pages', summary: 'Upload a signed opt-in form' },
}).withUploadHandler<UploadResult>(
  async (input) => {
    const { id } = input.params
    const page = openPage(input, getOptInPath(id), 'dpp:create')
    if (isAnswer(page)) return received(page)
    try {
      const kept = await storeOptInForm(page.work, await readUpload(input.upload, id))
      return received(await renderOne(page, id, { optIn: { kept } }))
    } catch (cause) {
      return received(await renderOne(page, id, { optIn: { problem: getRefusal(cause) } }))
    }
  },
  async ({ received: { answer } }) => answer,
)

export const optInPages: Operation[] = [optInOperation]
