import type { PassportWords } from '../words.types.ts'
import { format } from './numerals.ts'

export const passport: PassportWords = {
  title: (name) => `${name}: pasaporte digital del producto`,
  status: {
    published: 'Publicado',
    claimed: 'Registrado a nombre de su propietario',
    archived: 'Archivado: ya no se actualiza',
  },
  standing: {
    verified: {
      head: 'Certificado y verificado',
      text: () =>
        'Nuestro servidor acaba de verificar el certificado: la firma, la clave, el estado y la inscripción en la blockchain '
        + 'son correctos.',
    },
    failed: {
      head: 'Certificado, pero la verificación ha fallado',
      text: () => 'No confíe en el certificado. Nuestro servidor acaba de verificarlo y lo siguiente no es correcto:',
    },
    suspended: {
      head: 'Certificado suspendido',
      text: () => 'Su emisor ha suspendido el certificado. Mientras dure la suspensión, no confíe en él.',
    },
    revoked: {
      head: 'Certificado revocado',
      text: () => 'Su emisor ha retirado el certificado de forma definitiva. No confíe en él.',
    },
    none: {
      head: 'No certificado',
      text: (organization) => `Nada de lo que sigue está certificado: es lo que declara ${organization}.`,
    },
    pending: {
      head: 'Certificación en curso',
      text: (organization) => `Nada de lo que sigue está certificado todavía: es lo que declara ${organization}.`,
    },
    unreachable: {
      head: 'Certificado, pero no verificado',
      text: () =>
        'En este momento no se puede acceder al certificado y no se ha podido verificar. Inténtelo más tarde.',
    },
    unknown: {
      head: 'Certificado, pero ahora no se puede valorar',
      text: () =>
        'Nada contradice el certificado, pero en este momento no se ha podido verificar por completo. Inténtelo más tarde.',
    },
    archived: {
      head: 'Ya no está certificado',
      text: () => 'Este pasaporte estuvo certificado. Ahora está archivado y su certificado ya no está disponible.',
    },
  },
  hostedOutOfReach:
    'La propia organización conserva el certificado. Allí no se puede acceder a él, ya no existe o no es el que se certificó.',
  renewing: 'Algo ha cambiado desde entonces: se está certificando una nueva versión.',
  notInOrder: 'No es correcto:',
  notChecked: 'Ahora no se puede valorar:',
  checkedOn: (day) => `Verificado el ${day}.`,
  whatWasChecked: 'Qué se ha verificado',
  checks: {
    proof: { good: 'La firma corresponde al contenido.', bad: 'La firma no corresponde al contenido.' },
    issuer: { good: 'La clave pertenece al emisor.', bad: 'No se puede confirmar quién es el emisor.' },
    key: { good: 'La clave puede firmar.', bad: 'La clave no puede firmar o ya no puede hacerlo.' },
    status: {
      good: 'No está revocado ni suspendido.',
      bad: 'Está revocado o suspendido, o no se puede leer su estado.',
    },
    validity: { good: 'Es válido hoy.', bad: 'Hoy no es válido.' },
    anchor: {
      good: 'Su huella digital (hash) figura en la blockchain.',
      bad: 'Su huella digital (hash) no figura en la blockchain.',
    },
    schema: { good: 'Está completo según UNTP.', bad: 'No está completo según UNTP.' },
  },
  mark: 'certificado',
  issuer: 'Emisor',
  byDomain: (domain) => `con el dominio ${domain}`,
  withoutDomain: 'una clave sin dominio',
  keptBy: (organization) => `conservado por ${organization}`,
  certified: 'Certificado el',
  credential: 'Certificado',
  withProof: 'con su prueba (JSON-LD)',
  asToken: 'como token (JWT)',
  receipt: 'Comprobante',
  receiptLink: 'su comprobante en la blockchain',
  yes: 'Sí',
  no: 'No',
  more: (count) => `${format(count)} más`,
  whole: 'Mostrar todo',
  belongsTo: 'Pertenece a',
  parents: { model: 'Modelo', batch: 'Lote' },
  claim: {
    head: '¿Es suyo?',
    text: 'Este artículo todavía no tiene propietario. Hay dos maneras de registrarlo a su nombre.',
    withLink: 'Tengo un enlace',
    linkHead: 'Con el enlace o el código que venía con él',
    field: 'Su enlace',
    button: 'Registrar a mi nombre',
    wrong: 'Este enlace no sirve para registrar el artículo. Cópielo completo, tal como lo recibió.',
    without: {
      head: 'Sin enlace',
      text: (brand) =>
        `Inicie sesión. Si ${brand} conoce su dirección o su teléfono por su compra, el artículo es suyo al momento. Si no, puede pedírselo a ${brand}.`,
    },
  },
  onChain: 'En la blockchain',
  passport: 'Pasaporte',
  token: 'Token',
  network: 'Red',
  owner: 'Propietario',
  contract: 'Contrato',
  minted: 'Emitido',
  notYet: 'Todavía no',
  history: 'Historial',
  historyLink: 'Todo el historial como datos',
  events: { mint: 'Emitido', claim: 'Registrado', transfer: 'Transferido' },
  from: 'de',
  to: 'a',
  transaction: 'transacción',
}
