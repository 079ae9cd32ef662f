/** Entry point of the page scripts: replaces the summary of the HTML shell with the app, once the view is loaded. */
import { render } from 'preact';
import { App, loadPage } from './app.tsx';

const root = document.getElementById('app');
if (root !== null) {
  // Not awaited: the scripts of the views import this one, which would have to be complete before them.
  void loadPage(location.pathname).then((first) => {
    root.replaceChildren();
    render(<App first={first} />, root);
  });
}
