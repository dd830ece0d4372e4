export { type DraftPreview, previewDraft, type PreviewRow } from './drafts.preview.ts'
export { openPastedText, type ReceivedDraft, receiveDraft } from './drafts.receive.ts'
export {
  findMapperNames,
  findMapperRows,
  listMapperChoices,
  startDraftImport,
  suggestCorrespondences,
} from './drafts.start.ts'
export { createDraft, createDrafts, type Draft, findDraft, findDraftByTrial, updateDraft } from './drafts.ts'
