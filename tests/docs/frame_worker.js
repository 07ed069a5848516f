// Browsers refuse workers to pages that are opened from a folder, and the search of the site is one.
// There its script runs in a hidden frame instead. Messages are copied and come later, as with a worker.
const later = (target, data) => {
  const message = new MessageEvent("message", { data: structuredClone(data) });
  setTimeout(() => target.onmessage?.(message));
};

if (location.protocol === "file:") {
  window.Worker = class {
    constructor(script) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => later(this, data);
      const element = inside.document.createElement("script");
      this.ready = new Promise((resolve) => (element.onload = () => resolve(inside)));
      element.onerror = (event) => this.onerror?.(event);
      element.src = new URL(script, document.baseURI);
      inside.document.head.append(element);
    }

    postMessage(data) {
      this.ready.then((inside) => later(inside, data));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
