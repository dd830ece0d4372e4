import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Traspasarlo',
  title: (name) => `Traspasar: ${name}`,
  head: 'Traspasarlo',
  intro: 'La persona que indiques será propietaria de este artículo en cuanto acepte.',
  prove: 'Antes de ceder algo, demuestra que eres tú: inicia sesión con un código nuevo.',
  email: 'Su correo electrónico',
  offerByEmail: 'Ofrecerlo por correo',
  callingCode: 'Prefijo del país',
  phone: 'Su número de teléfono',
  offerByPhone: 'Ofrecerlo por SMS',
  note: (days) =>
    `Recibe un mensaje con un enlace que vale ${days} días. Hasta que acepte sigue siendo tuyo y puedes retirar la oferta.`,
  notYours: {
    head: 'Este artículo no es tuyo',
    text: 'Solo el propietario de un artículo lo traspasa. Inicia sesión con la dirección con la que lo reclamaste.',
  },
  closed: {
    head: 'Este artículo no se puede traspasar',
    text: 'Ya está ofrecido a alguien, archivado o retirado por su fabricante, o en una red donde los propietarios no cambian.',
  },
  back: 'Volver al pasaporte',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE: 'Ahora no se puede traspasar: quizá ya está ofrecido a alguien.',
    AUTH_FRESH_CODE_REQUIRED: 'Tu código tiene más de 10 minutos. Inicia sesión con uno nuevo.',
    VALIDATION_FAILED: 'Revisa la dirección: debe existir y no ser la tuya.',
    RATE_LIMITED: 'Hoy han salido demasiados mensajes. Inténtalo mañana.',
    DPP_TRANSFER_NOT_ALLOWED: 'Esto es para otra persona, no para quien ha iniciado sesión.',
  },
  refused: 'No ha funcionado. Inténtalo de nuevo.',
  link: {
    title: (name) => `${name} para ti`,
    intro: (brand) =>
      `El propietario de este artículo te lo traspasa. ${brand} lleva la cuenta de quién es su propietario.`,
    signIn: 'Inicia sesión con la dirección que recibió el mensaje y después acepta o rechaza.',
    text: 'Su token va a tu monedero aquí y pasas a ser su propietario.',
    accept: 'Aceptarlo',
    decline: 'Rechazar',
    other:
      'Esta oferta es para otra dirección que la de tu sesión. Cierra la sesión y usa la dirección que recibió el mensaje.',
    declined: { head: 'Lo has rechazado', text: 'El artículo se queda con su propietario.' },
    broken: {
      head: 'Este enlace no funciona',
      text: 'Ha caducado o no se copió entero, o la oferta fue aceptada, rechazada o retirada.',
    },
  },
  job: {
    waiting: {
      head: 'Está en camino…',
      text: 'El artículo se te está entregando. Tarda unos segundos; la página se actualiza sola.',
      bar: 'Entrega en curso',
    },
    done: { head: 'Es tuyo', text: 'El artículo se te ha traspasado y su token está en tu monedero.' },
    failed: {
      head: 'No ha funcionado',
      text: 'El artículo no se ha traspasado.',
      again: 'No se ha perdido nada: sigue siendo de su propietario, que puede ofrecerlo de nuevo.',
    },
  },
  list: {
    head: 'Traspasos',
    to: (address) => `a ${address}`,
    received: 'para ti',
    until: (day) => `hasta el ${day}`,
    made: {
      open: 'ofrecido',
      accepted: 'aceptado, en camino',
      completed: 'traspasado',
      failed: 'no ha funcionado, sigue siendo tuyo',
      declined: 'rechazado',
      withdrawn: 'retirado',
      expired: 'caducado',
    },
    got: {
      open: 'abierto: usa el enlace del mensaje',
      accepted: 'aceptado, en camino',
      completed: 'tuyo',
      failed: 'no ha funcionado',
      declined: 'lo has rechazado',
      withdrawn: 'retirado',
      expired: 'caducado',
    },
    withdraw: 'Retirar la oferta',
    sent: 'El mensaje está en camino. Aquí verás cuándo se acepta.',
  },
  message: {
    subject: (product) => `${product} es para ti`,
    mail: (product, brand, address, days) =>
      `El propietario de ${product} (${brand}) te lo traspasa.\n\n${address}\n\nInicia sesión allí con este correo electrónico para aceptar o rechazar. El enlace vale ${days} días. Si no sabes de qué se trata, ignora este mensaje: no pasa nada.\n`,
    text: (product, brand, address) => `${product} (${brand}) se te traspasa: ${address}`,
  },
}
