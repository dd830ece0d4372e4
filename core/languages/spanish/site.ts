import type { SiteWords } from '../words.types.ts'
import { region } from './numerals.ts'

export const site: SiteWords = {
  name: 'Español',
  region,
  skip: 'Ir al contenido',
  language: 'Idioma',
  inLanguage: (language) => `En ${language}`,
  help: 'Ayuda',
  front: {
    head: 'Pasaportes digitales para sus productos',
    text: 'Tessera da a cada producto un pasaporte que cualquiera puede escanear y comprobar, y a cada cliente, puntos por su fidelidad.',
    enter: 'Iniciar sesión o registrarse',
    enterText: 'Con su correo electrónico y un código, sin contraseña.',
    developersHead: 'Para desarrolladores',
    reference: 'Referencia de la API',
    buyersHead: '¿Ha comprado un producto?',
    buyersText: 'Escanee el código que lleva. Se abre su pasaporte, que explica cómo registrarlo a su nombre.',
  },
  callback: {
    title: 'No ha iniciado sesión',
    failures: {
      ended: 'Este inicio de sesión ya se ha usado, ha caducado o se empezó en otro navegador. Vuelva a empezar.',
      refused: 'La respuesta recibida no demuestra quién es usted. Vuelva a empezar.',
      unproven:
        'Su correo electrónico todavía no está confirmado allí. Confírmelo primero o inicie sesión de otra forma.',
      unavailable: 'El servicio con el que quería iniciar sesión no responde. Inténtelo más tarde o de otra forma.',
      notEnabled: 'Esta forma de iniciar sesión ya no se ofrece aquí. Elija otra.',
    },
    again: 'Volver al inicio de sesión',
  },
  problems: {
    pages: {
      400: { heading: 'Solicitud incorrecta', message: 'Esta dirección está incompleta o contiene un error.' },
      401: { heading: 'Sesión no iniciada', message: 'Inicie sesión y vuelva a intentarlo.' },
      403: { heading: 'Acceso denegado', message: 'No tiene permiso para hacer esto.' },
      404: { heading: 'Página no encontrada', message: 'En esta dirección no hay nada o no tiene permiso para verlo.' },
      406: { heading: 'Formato no disponible', message: 'Esta página no existe en el formato solicitado.' },
      408: { heading: 'Tiempo agotado', message: 'La solicitud no llegó completa a tiempo. Vuelva a intentarlo.' },
      409: { heading: 'Ahora no es posible', message: 'Vuelva a cargar la página e inténtelo de nuevo.' },
      413: { heading: 'Demasiado grande', message: 'Lo que se ha enviado es demasiado grande.' },
      415: { heading: 'Formato no admitido', message: 'Lo que se ha enviado no se puede leer aquí.' },
      422: { heading: 'Datos no válidos', message: 'Compruebe los datos introducidos y vuelva a intentarlo.' },
      429: { heading: 'Demasiadas solicitudes', message: 'Espere un momento y vuelva a intentarlo.' },
      500: { heading: 'Error de nuestro servicio', message: 'Algo ha fallado por nuestra parte. Inténtelo más tarde.' },
      503: {
        heading: 'Servicio no disponible',
        message: 'Una parte del servicio no responde. Inténtelo de nuevo en un momento.',
      },
    },
    product: {
      heading: 'No conocemos este producto',
      message:
        'Puede que la dirección esté incompleta o que su pasaporte no esté publicado. Vuelva a escanear el código del producto; si esta página aparece de nuevo, pregunte a la marca o a la tienda.',
    },
    ways: {
      start: 'Ir a la página de inicio',
      console: 'Ir a la consola',
      reference: 'Abrir la referencia de la API',
      again: 'Volver a intentarlo',
    },
    request: 'Solicitud',
  },
  code: {
    subject: (code, sender) => `${code} es su código para ${sender}`,
    mail: (code, sender, minutes) => [
      { code, sentence: `${code} es su código para iniciar sesión en ${sender}.` },
      `Se puede usar una sola vez, en los próximos ${minutes} minutos. `
        + 'Si no lo ha pedido, ignore este mensaje: sin el código no ocurre nada.',
    ],
    text: (code, sender, minutes) =>
      `${code} es su clave de acceso para ${sender}. Sirve una vez, durante ${minutes} minutos.`,
  },
}
