// Pages that are opened as files may not start workers; the search's runs in a hidden
// frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      const script = inside.document.createElement("script");
      script.src = url;
      this.ready = new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
      });
      this.ready.catch((error) => this.onerror?.(error));
      inside.document.head.append(script);
    }

    postMessage(data) {
      const event = () => new MessageEvent("message", { data });
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(event()));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
