export { eraseCards, keepCard, readCard } from './cards.store.ts'
export {
  findFieldPictures,
  findPictures,
  findShownPictures,
  isHttpsUrl,
  listPictureAddresses,
  maxShownPictures,
  type ProductPicture,
} from './find-pictures.ts'
export { findLogo, readLogoForm } from './logos.ts'
export {
  listThemeAddresses,
  readServedForm,
  readServedPictureOfEach,
  readServedPictures,
  type ServedPicture,
} from './pictures.reads.ts'
export { fitPicture, writePicture } from './png.ts'
export { startPictureFetches } from './pictures.schedule.ts'
export { nameSeenPictures } from './seen-pictures.ts'
export { erasePictures, namePictures } from './pictures.store.ts'
