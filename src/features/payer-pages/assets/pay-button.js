// Opens the pages for payers in a dialog on another site. assets.ts puts the settings in front, and both into a block, so that nothing is global.
const { root, sites, color, textColor, texts } = SATCHEL_PAY;
/** In the first language of the browser that the pages have. */
const { close, payment, payWithLightning } = navigator.languages.map((tag) => texts[tag.slice(0, 2)]).find(Boolean) ?? texts.en;
const isAllowed = sites.includes(location.origin);

/** Through the CSSOM, which the policies of sites allow. */
const style = (element, rules) => {
  for (const [name, value] of Object.entries(rules)) element.style.setProperty(name, value);
};

const styleButton = (link) => {
  style(link, {
    display: 'inline-block',
    padding: '10px 16px',
    border: '1px solid #8a8379',
    'border-radius': '6px',
    background: color,
    color: textColor,
    font: '500 16px/1.4 system-ui, sans-serif',
    'text-decoration': 'none',
  });
};

/** The address of the same page for frames. */
const framedUrl = (link) => {
  return link.href.startsWith(`${root}/pay/`) ? link.href.replace(`${root}/pay/`, `${root}/embed/pay/`) : undefined;
};

const closeButton = (dialog) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '\u00d7';
  button.setAttribute('aria-label', close);
  style(button, {
    position: 'absolute',
    top: '8px',
    'inset-inline-end': '8px',
    width: '44px',
    height: '44px',
    border: '0',
    background: 'none',
    color: 'inherit',
    font: '24px/1 system-ui, sans-serif',
    cursor: 'pointer',
  });
  button.addEventListener('click', () => dialog.close());
  return button;
};

const openDialog = (link, url) => {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', link.textContent.trim() || payWithLightning);
  style(dialog, {
    width: 'min(100vw, 440px)',
    height: 'min(100vh, 720px)',
    'max-width': 'none',
    'max-height': 'none',
    margin: 'auto',
    padding: '0',
    border: '0',
    'border-radius': '16px',
    overflow: 'hidden',
    'color-scheme': 'light dark',
  });
  const frame = document.createElement('iframe');
  frame.src = url;
  frame.title = payment;
  frame.allow = 'clipboard-write';
  style(frame, { display: 'block', width: '100%', height: '100%', border: '0' });
  const onMessage = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.satchel === 'close') dialog.close();
    // For thanks on the page. It proves nothing: a shop asks its server.
    if (data?.satchel === 'paid') link.dispatchEvent(new CustomEvent('satchel-paid', { bubbles: true }));
  };
  addEventListener('message', onMessage);
  dialog.addEventListener('close', () => {
    removeEventListener('message', onMessage);
    dialog.remove();
    link.focus();
  });
  dialog.append(frame, closeButton(dialog));
  document.body.append(dialog);
  dialog.showModal();
};

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a.satchel-pay');
  const url = link && isAllowed && framedUrl(link);
  if (!url || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openDialog(link, url);
});
const styleAll = () => document.querySelectorAll('a.satchel-pay').forEach(styleButton);
styleAll();
document.addEventListener('DOMContentLoaded', styleAll);
